// Draws the frames of a dump. Spheres are shaded on squares that face the camera.
"use strict";

const NAN = 65535; // stored value that represents NaN
const BACKGROUND = "#ffffff";
const MARGIN = 1.05; // ratio of the view's radius to the scene's

const scene_data = JSON.parse(document.getElementById("scene").textContent);
const bytes = decode(document.getElementById("bytes").textContent.trim());
const byId = (id) => document.getElementById(id);

function decode(text) {
  const binary = atob(text);
  const found = new Uint8Array(binary.length);
  for (let i = 0; i < found.length; i++) found[i] = binary.charCodeAt(i);
  return found;
}

const shorts = ([offset, count]) => new Uint16Array(bytes.buffer, offset, count);
const floats = ([offset, count]) => new Float32Array(bytes.buffer, offset, count);

// ------------------------------------------------------------------------------------ grains

const VERTEX = `
  attribute vec4 sphere;  // position and radius, as fractions of their ranges
  attribute float value;
  uniform vec3 origin, size;
  uniform float largest;
  uniform vec2 range;  // the value is range.x + range.y * attribute
  varying vec3 seen, centre;
  varying float radius, shade;
  void main() {
    centre = (viewMatrix * vec4(origin + size * sphere.xyz, 1.0)).xyz;
    radius = largest * sphere.w;
    shade = value * 65535.0 > ${NAN}.0 - 0.5 ? -1.0 : clamp(range.x + range.y * value, 0.0, 1.0);
    float away = length(centre);
    vec3 ahead = centre / away;
    vec3 right = normalize(cross(ahead, abs(ahead.y) < 0.9 ? vec3(0, 1, 0) : vec3(1, 0, 0)));
    // in perspective the visible outline is slightly larger than the sphere
    float reach = 1.05 * radius / sqrt(max(1.0 - radius * radius / (away * away), 0.01));
    seen = centre + reach * (position.x * right + position.y * cross(right, ahead));
    gl_Position = projectionMatrix * vec4(seen, 1.0);
  }
`;

const FRAGMENT = `
  uniform sampler2D palette;
  uniform mat4 projectionMatrix;
  varying vec3 seen, centre;
  varying float radius, shade;
  void main() {
    vec3 ray = normalize(seen);
    float along = dot(ray, centre);
    vec3 off = centre - along * ray;
    float inside = radius * radius - dot(off, off);
    float coverage = clamp(0.5 + inside / fwidth(inside), 0.0, 1.0);
    if (coverage <= 0.0) discard;
    vec3 place = ray * (along - sqrt(max(inside, 0.0)));
    vec4 clip = projectionMatrix * vec4(place, 1.0);
    gl_FragDepth = 0.5 + 0.5 * clip.z / clip.w;
    vec3 normal = (place - centre) / radius;
    vec3 light = normalize(vec3(-0.35, 0.6, 1.0));
    vec3 colour = shade < 0.0 ? vec3(0.6) : texture2D(palette, vec2(shade, 0.5)).rgb;
    float lit = 0.45 + 0.55 * max(dot(normal, light), 0.0);
    float shine = 0.15 * pow(max(dot(reflect(-light, normal), -ray), 0.0), 20.0);
    gl_FragColor = vec4(colour * lit + shine, coverage);
  }
`;

function grains() {
  const most = Math.max(...scene_data.frames.map((frame) => frame.count), 1);
  const geometry = new THREE.InstancedBufferGeometry();
  const corners = [-1, -1, 0, 1, -1, 0, 1, 1, 0, -1, 1, 0];
  geometry.setAttribute("position", new THREE.Float32BufferAttribute(corners, 3));
  geometry.setIndex([0, 1, 2, 0, 2, 3]);
  for (const [name, items] of [["sphere", 4], ["value", 1]]) {
    const array = new Uint16Array(most * items);
    geometry.setAttribute(name, new THREE.InstancedBufferAttribute(array, items, true));
  }
  const material = new THREE.ShaderMaterial({
    vertexShader: VERTEX,
    fragmentShader: FRAGMENT,
    alphaToCoverage: true,
    // coverage is not transparency: the page's background must not show through at the edges
    blending: THREE.CustomBlending,
    blendSrc: THREE.OneFactor,
    blendDst: THREE.ZeroFactor,
    blendSrcAlpha: THREE.ZeroFactor,
    blendDstAlpha: THREE.OneFactor,
    uniforms: {
      origin: { value: new THREE.Vector3(...scene_data.origin) },
      size: { value: new THREE.Vector3(...scene_data.size) },
      largest: { value: scene_data.largest },
      range: { value: [0, 1] },
      palette: { value: null },
    },
  });
  const mesh = new THREE.Mesh(geometry, material);
  mesh.frustumCulled = false;
  return mesh;
}

// ------------------------------------------------------------------------- walls and the box

function wall(vertices) {
  const geometry = new THREE.BufferGeometry();
  geometry.setAttribute("position", new THREE.BufferAttribute(floats(vertices), 3));
  const group = new THREE.Group();
  const look = { color: 0x8fa6bf, opacity: 0.3, transparent: true, depthWrite: false };
  group.add(new THREE.Mesh(geometry, new THREE.MeshBasicMaterial({ ...look, side: THREE.DoubleSide })));
  const edges = new THREE.EdgesGeometry(geometry, 30);
  group.add(new THREE.LineSegments(edges, new THREE.LineBasicMaterial({ color: 0x708090 })));
  group.visible = false;
  return group;
}

function edgesOfBox(vertices) {
  const geometry = new THREE.BufferGeometry();
  geometry.setAttribute("position", new THREE.BufferAttribute(floats(vertices), 3));
  const lines = new THREE.LineSegments(geometry, new THREE.LineBasicMaterial({ color: 0x808080 }));
  lines.visible = false;
  return lines;
}

// ---------------------------------------------------------------------------------- the view

const canvas = byId("canvas");
const renderer = makeRenderer();
renderer.setClearColor(BACKGROUND);
const scene = new THREE.Scene();
const camera = new THREE.PerspectiveCamera(30, 1, 1, 2);
const controls = new THREE.OrbitControls(camera, canvas);
const cloud = grains();
const walls = scene_data.meshes.map(wall);
const boxes = scene_data.boxes.map(edgesOfBox);
scene.add(cloud, ...walls, ...boxes);

const sphere = new THREE.Sphere(new THREE.Vector3(...scene_data.middle), scene_data.reach);
let isAsked = false;

function makeRenderer() {
  try {
    return new THREE.WebGLRenderer({ canvas, antialias: true });
  } catch (error) {
    byId("time").textContent = "This page needs WebGL 2, which this browser does not offer here.";
    throw error;
  }
}

function ask() {
  if (isAsked) return;
  isAsked = true;
  requestAnimationFrame(() => {
    isAsked = false;
    draw();
  });
}

function draw() {
  // the near and far planes enclose the whole scene as tightly as possible
  const away = camera.position.distanceTo(sphere.center);
  camera.near = Math.max(away - sphere.radius, (away + sphere.radius) * 1e-3);
  camera.far = away + sphere.radius;
  camera.updateProjectionMatrix();
  renderer.render(scene, camera);
  drawScaleBar();
}

function fit() {
  const half = (camera.fov * Math.PI) / 360;
  const narrow = Math.atan(Math.tan(half) * Math.min(camera.aspect, 1));
  camera.up.set(...scene_data.up);
  camera.position.set(...scene_data.eye).normalize();
  camera.position.multiplyScalar((MARGIN * sphere.radius) / Math.sin(narrow)).add(sphere.center);
  controls.target.copy(sphere.center);
  controls.update();
  ask();
}

function resize() {
  const { clientWidth, clientHeight } = canvas.parentElement;
  renderer.setPixelRatio(window.devicePixelRatio);
  renderer.setSize(clientWidth, clientHeight);
  camera.aspect = clientWidth / clientHeight;
  ask();
}

function drawScaleBar() {
  const away = camera.position.distanceTo(controls.target);
  const pixel = (2 * away * Math.tan((camera.fov * Math.PI) / 360)) / canvas.clientHeight;
  const most = 120 * pixel;
  const power = 10 ** Math.floor(Math.log10(most));
  const length = [5, 2, 1].map((step) => step * power).find((step) => step <= most) ?? power;
  byId("bar").style.width = `${length / pixel}px`;
  byId("length").textContent = writeLength(length);
}

function writeLength(length) {
  const { name, metres } = scene_data.length;
  if (metres) {
    const known = Object.entries(scene_data.prefixes);
    const fitting = known.find(([, size]) => length * metres >= 0.9999 * size);
    if (fitting) return `${short((length * metres) / fitting[1])} ${fitting[0]}`;
  }
  return `${short(length)} ${name}`.trim();
}

const short = (number) => String(Number(number.toPrecision(3)));

// --------------------------------------------------------------------------- frames, colours

const state = { frame: 0, column: 0, isPlaying: false, timer: 0 };
const ranges = scene_data.columns.map(({ low, high }) => [low, high]);

function show(number) {
  const count = scene_data.frames.length;
  state.frame = ((number % count) + count) % count;
  const frame = scene_data.frames[state.frame];
  fill("sphere", frame.spheres);
  fill("value", frame.values[state.column]);
  cloud.geometry.instanceCount = frame.count;
  walls.forEach((mesh, i) => (mesh.visible = byId("walls").checked && frame.meshes.includes(i)));
  boxes.forEach((lines, i) => (lines.visible = byId("box").checked && frame.boxes.includes(i)));
  byId("frame").value = state.frame;
  byId("time").textContent = frame.text;
  byId("number").textContent = `frame ${state.frame + 1} of ${count}, ${frame.count} grains`;
  document.body.dataset.frame = state.frame;
  ask();
}

function fill(name, place) {
  const attribute = cloud.geometry.getAttribute(name);
  attribute.array.set(shorts(place));
  attribute.needsUpdate = true;
}

function colourBy(number) {
  state.column = number;
  const column = scene_data.columns[number];
  const { uniforms } = cloud.material;
  uniforms.palette.value?.dispose();
  const rgba = new Uint8Array(column.colours.flatMap((colour) => [...colour, 255]));
  uniforms.palette.value = new THREE.DataTexture(rgba, column.colours.length, 1);
  uniforms.palette.value.needsUpdate = true;
  byId("colour").value = number;
  byId("title").textContent = column.title;
  document.body.dataset.colour = column.name;
  applyRange();
  show(state.frame);
}

function applyRange() {
  const { names, least, most, colours } = scene_data.columns[state.column];
  const [low, high] = ranges[state.column];
  const width = high - low || 1;
  // values are stored as 0 (`least`) to 65534 (`most`)
  const stretch = (most - least) * (NAN / (NAN - 1));
  const range = names.length ? [0, NAN / (NAN - 1)] : [(least - low) / width, stretch / width];
  cloud.material.uniforms.range.value = range;
  byId("named").hidden = !names.length;
  byId("continuous").hidden = Boolean(names.length);
  byId("named").replaceChildren(
    ...names.map((name, i) => {
      const row = document.createElement("div");
      const square = document.createElement("span");
      square.style.background = `rgb(${colours[i]})`;
      row.append(square, name);
      return row;
    }),
  );
  const stops = colours.map((colour) => `rgb(${colour})`).join(",");
  byId("gradient").style.background = `linear-gradient(to top, ${stops})`;
  byId("ticks").replaceChildren(
    ...[1, 0.75, 0.5, 0.25, 0].map((share) => {
      const tick = document.createElement("span");
      tick.textContent = short(low + share * (high - low));
      return tick;
    }),
  );
  byId("high").value = short(high);
  byId("low").value = short(low);
  ask();
}

function setRange() {
  const low = Number(byId("low").value);
  const high = Number(byId("high").value);
  if (byId("low").value && byId("high").value && high > low) ranges[state.column] = [low, high];
  applyRange();
}

function resetRange() {
  const { low, high } = scene_data.columns[state.column];
  ranges[state.column] = [low, high];
  applyRange();
}

function play(isPlaying) {
  clearInterval(state.timer);
  state.isPlaying = isPlaying;
  byId("play").textContent = isPlaying ? "Pause" : "Play";
  const rate = Math.max(Number(byId("rate").value), 0.1);
  if (isPlaying) state.timer = setInterval(() => show(state.frame + 1), 1000 / rate);
}

// ---------------------------------------------------------------------- buttons and the keys

const KEYS = {
  " ": () => play(!state.isPlaying),
  ArrowLeft: () => show(state.frame - 1),
  ArrowRight: () => show(state.frame + 1),
  Home: () => show(0),
  End: () => show(-1),
  c: () => colourBy((state.column + 1) % scene_data.columns.length),
  r: fit,
};

function begin() {
  scene_data.columns.forEach(({ title }, i) => byId("colour").add(new Option(title, i)));
  byId("frame").max = scene_data.frames.length - 1;
  byId("with-walls").hidden = !walls.length;
  byId("with-box").hidden = !boxes.length;
  byId("play").onclick = () => play(!state.isPlaying);
  byId("rate").onchange = () => play(state.isPlaying);
  byId("reset").onclick = fit;
  byId("frame").oninput = (event) => show(Number(event.target.value));
  byId("colour").onchange = (event) => colourBy(Number(event.target.value));
  byId("low").onchange = byId("high").onchange = setRange;
  byId("whole").onclick = resetRange;
  byId("walls").onchange = byId("box").onchange = () => show(state.frame);
  window.addEventListener("resize", resize);
  window.addEventListener("keydown", (event) => {
    const isTyping = event.target.matches?.("input[type=number], select");
    const action = KEYS[event.key];
    if (!action || isTyping || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    action();
  });
  controls.addEventListener("change", ask);
  resize();
  fit();
  // run.html#frame=12&colour=type&play starts with these settings
  const asked = new URLSearchParams(location.hash.slice(1));
  const column = scene_data.columns.findIndex(({ name }) => name === asked.get("colour"));
  state.frame = Number(asked.get("frame") ?? 1) - 1 || 0;
  colourBy(Math.max(column, 0));
  play(asked.has("play"));
}

begin();
