// The search of the manual from disk: browsers start no workers there, so a frame of the page takes the worker's place.
// (The name tells the offline plugin that it need not fetch a script of this kind.)
if (location.protocol === "file:") {
  window.Worker = class extends EventTarget {
    constructor(url) {
      super();
      this.frame = document.createElement("iframe");
      this.frame.hidden = true;
      this.frame.srcdoc = "<!doctype html><title>search</title>";
      this.ready = new Promise(started => {
        this.frame.addEventListener("load", () => {
          const inside = this.frame.contentWindow;
          inside.postMessage = data => this.dispatchEvent(new MessageEvent("message", { data }));
          const script = inside.document.createElement("script");
          script.src = url;
          script.addEventListener("load", started);
          inside.document.head.append(script);
        }, { once: true });
      });
      document.body.append(this.frame);
    }
    set onmessage(listener) {
      this.addEventListener("message", listener);
    }
    async postMessage(data) {
      await this.ready;
      const inside = this.frame.contentWindow;
      inside.dispatchEvent(new inside.MessageEvent("message", { data }));
    }
    terminate() {
      this.frame.remove();
    }
  };
}
