// Search in a manual opened from disk. Browsers do not start workers for such pages, so a hidden frame replaces the worker.
// (Because of the name of this file, the offline plugin does not download such a script.)
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
