// The page of a game of ecs_softbody: WebGL 2, keys, mouse, touch, wheel, controllers, sound, saves, full screen.
// Python makes the pictures; what it has in memory is read where it lies. `backend.py` and `stage.py` are its other side.

import {fetchAll, fetchLock, keepSaves, SAVES} from "./files.js";

// ---- Pictures
function openContext(canvas) {
  const gl = canvas.getContext("webgl2", {alpha: false, antialias: false, depth: false, preserveDrawingBuffer: true});
  if (!gl) throw new Error("This browser has no WebGL 2, or it is switched off: try another one.");
  return gl;
}

// Draws display lists into a canvas. `memory.HEAPU8` is what addresses count in; `shaders` has their sources by name.
export function makeBackend(canvas, memory, shaders) {
  const gl = openContext(canvas);
  const compile = (kind, text) => {
    const shader = gl.createShader(kind);
    gl.shaderSource(shader, text);
    gl.compileShader(shader);
    if (!gl.getShaderParameter(shader, gl.COMPILE_STATUS)) throw new Error(gl.getShaderInfoLog(shader));
    return shader;
  };
  const program = fragment => {
    const made = gl.createProgram();
    gl.attachShader(made, compile(gl.VERTEX_SHADER, shaders.vertex));
    gl.attachShader(made, compile(gl.FRAGMENT_SHADER, shaders[fragment]));
    gl.linkProgram(made);
    if (!gl.getProgramParameter(made, gl.LINK_STATUS)) throw new Error(gl.getProgramInfoLog(made));
    return {made, size: gl.getUniformLocation(made, "size")};
  };
  const plain = program("plain"), flat = program("flat"), skin = program("skin");
  const vertexBuffer = gl.createBuffer(), indexBuffer = gl.createBuffer();
  const atlas = gl.createTexture(), textures = new Map();
  gl.bindVertexArray(gl.createVertexArray());
  gl.bindBuffer(gl.ARRAY_BUFFER, vertexBuffer);
  gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, indexBuffer);
  [[2, 0], [4, 2], [4, 6]].forEach(([count, first], location) => {
    gl.enableVertexAttribArray(location);
    gl.vertexAttribPointer(location, count, gl.FLOAT, false, 4 * 10, 4 * first);
  });
  gl.pixelStorei(gl.UNPACK_ALIGNMENT, 1);
  gl.pixelStorei(gl.PACK_ALIGNMENT, 1);
  const bytes = (address, length) => memory.HEAPU8.subarray(address, address + length);
  const numbers = (address, count) => new Int32Array(memory.HEAPU8.buffer, address, count);
  const set = values => Object.entries(values).forEach(([name, value]) => gl.texParameteri(gl.TEXTURE_2D, gl[name], value));
  const drawRun = (program, width, height, first, count) => {
    gl.useProgram(program.made);
    gl.uniform2f(program.size, width, height);
    gl.drawElements(gl.TRIANGLES, count, gl.UNSIGNED_INT, 4 * first);
  };
  return {
    loadAtlas(address, width, height) {
      gl.bindTexture(gl.TEXTURE_2D, atlas);
      set({TEXTURE_MIN_FILTER: gl.NEAREST, TEXTURE_MAG_FILTER: gl.NEAREST});
      gl.texImage2D(gl.TEXTURE_2D, 0, gl.R8, width, height, 0, gl.RED, gl.UNSIGNED_BYTE, bytes(address, width * height));
    },
    // levels: for each one where it begins in the pixels, its width and its height.
    loadTexture(number, address, levels, count) {
      textures.set(number, gl.createTexture());
      gl.bindTexture(gl.TEXTURE_2D, textures.get(number));
      set({TEXTURE_MIN_FILTER: gl.LINEAR_MIPMAP_LINEAR, TEXTURE_MAG_FILTER: gl.LINEAR, TEXTURE_MAX_LEVEL: count - 1});
      const table = numbers(levels, 3 * count);
      for (let level = 0; level < count; level++) {
        const [start, width, height] = table.subarray(3 * level);
        const pixels = bytes(address + start, 4 * width * height);
        gl.texImage2D(gl.TEXTURE_2D, level, gl.RGBA8, width, height, 0, gl.RGBA, gl.UNSIGNED_BYTE, pixels);
      }
    },
    forgetTexture(number) {
      gl.deleteTexture(textures.get(number));
      textures.delete(number);
    },
    // runs: for each one the number of its texture (0 for none), whether it repeats, its first index, and how many.
    draw(width, height, vertices, vertexBytes, indices, indexBytes, opaque, runs, runCount) {
      if (canvas.width !== width) canvas.width = width;
      if (canvas.height !== height) canvas.height = height;
      gl.viewport(0, 0, width, height);
      gl.clearColor(0, 0, 0, 1);
      gl.clear(gl.COLOR_BUFFER_BIT);
      if (!indexBytes) return;
      gl.bindTexture(gl.TEXTURE_2D, atlas);
      gl.bufferData(gl.ARRAY_BUFFER, bytes(vertices, vertexBytes), gl.STREAM_DRAW);
      gl.bufferData(gl.ELEMENT_ARRAY_BUFFER, bytes(indices, indexBytes), gl.STREAM_DRAW);
      gl.disable(gl.BLEND);
      drawRun(flat, width, height, 0, opaque);
      gl.enable(gl.BLEND);
      const table = numbers(runs, 4 * runCount);
      for (let run = 0; run < table.length; run += 4) {
        const first = Math.max(table[run + 2], opaque), count = table[run + 2] + table[run + 3] - first;
        if (count <= 0) continue;
        gl.bindTexture(gl.TEXTURE_2D, table[run] ? textures.get(table[run]) : atlas);
        const wrap = table[run + 1] ? gl.REPEAT : gl.CLAMP_TO_EDGE;
        if (table[run]) set({TEXTURE_WRAP_S: wrap, TEXTURE_WRAP_T: wrap});
        gl.blendFunc(table[run] ? gl.ONE : gl.SRC_ALPHA, gl.ONE_MINUS_SRC_ALPHA);
        drawRun(table[run] ? skin : plain, width, height, first, count);
      }
    },
    // Writes what was drawn, rows from the bottom, four bytes a pixel.
    read(address, width, height) {
      gl.readPixels(0, 0, width, height, gl.RGBA, gl.UNSIGNED_BYTE, bytes(address, 4 * width * height));
    },
  };
}

// ---- Sound
// Plays samples: int16, two channels, interleaved. Nothing is heard until `context.resume()` in a click.
export function makeSound(memory) {
  const context = new AudioContext();
  const sound = {
    context,
    started: 0,
    buffer(address, frames, rate) {
      const made = context.createBuffer(2, frames, rate);
      const samples = new Int16Array(memory.HEAPU8.buffer, address, 2 * frames);
      for (const side of [0, 1]) {
        const channel = made.getChannelData(side);
        for (let frame = 0; frame < frames; frame++) channel[frame] = samples[2 * frame + side] / 32768;
      }
      return made;
    },
    player() {
      const gain = context.createGain();
      let node = null;
      gain.connect(context.destination);
      return {
        start(buffer, loop, volume, pitch) {
          node = context.createBufferSource();
          node.buffer = buffer;
          node.loop = loop;
          node.playbackRate.value = pitch;
          gain.gain.value = volume;
          node.connect(gain);
          node.start();
          sound.started++;
        },
        volume(value) { gain.gain.setTargetAtTime(value, context.currentTime, 0.01); },
        pitch(value) { if (node) node.playbackRate.value = value; },
        end() { node?.stop(); node = null; gain.disconnect(); },
      };
    },
  };
  return sound;
}

// ---- Input
function takeFingers(stage, are) {
  element("glass").hidden = !are;
  stage.fingers(are);
}

function hearKeysAndMouse(canvas, stage) {
  const fails = () => !element("wrong").hidden;  // its text can be marked and copied
  addEventListener("keydown", event => {
    const isOfBrowser = event.metaKey || event.altKey || event.code === "F5" || (event.ctrlKey && event.key.length === 1);
    if (isOfBrowser || fails() || event.target.closest?.("button")) return;
    if (!(event.repeat ? stage.knows(event.code, event.key) : stage.key(event.code, event.key, true))) return;
    event.preventDefault();
    takeFingers(stage, false);
  });
  addEventListener("keyup", event => stage.key(event.code, event.key, false));
  let mouse = null, held = 0;  // the pointer that is the mouse: the first that is down on the canvas; and its buttons
  const follow = event => {
    if (mouse === null && event.type === "pointerdown") {
      mouse = event.pointerId;
      takeFingers(stage, event.pointerType === "touch");
      canvas.focus();
      canvas.setPointerCapture(mouse);
    } else if (mouse === null ? event.type !== "pointermove" : event.pointerId !== mouse) return;
    const scale = canvas.width / canvas.clientWidth;
    stage.point(event.offsetX * scale, (canvas.clientHeight - event.offsetY) * scale);
    const now = mouse === null || event.type === "pointercancel" ? 0 : event.buttons;
    [1, 4, 2, 8].forEach((bit, number) => (held ^ now) & bit && stage.button(number, (now & bit) !== 0));
    held = now;
    if (!now) mouse = null;
  };
  for (const kind of ["pointerdown", "pointermove", "pointerup", "pointercancel"]) canvas.addEventListener(kind, follow);
  canvas.addEventListener("contextmenu", event => event.preventDefault());
  canvas.addEventListener("wheel", event => {
    stage.scroll(-event.deltaY / (event.deltaMode ? 3 : 100));
    event.preventDefault();
  }, {passive: false});
}

// Controllers: told as a whole, as soon as anything of them has changed.
let padsBefore = "[]";
function readPads(stage) {
  const present = [...(navigator.getGamepads?.() ?? [])].filter(pad => pad?.mapping === "standard");
  const now = JSON.stringify(present.map(({index, id, axes, buttons}) => {
    return {index, id, axes, held: buttons.map(button => button.pressed), far: buttons.map(button => button.value)};
  }));
  if (now !== padsBefore) stage.read_pads(now);
  padsBefore = now;
}

// What stands on buttons in the corner: strokes in a square of 24.
const ICONS = {
  p: "M9 5v14M15 5v14", escape: "M6 6l12 12M18 6L6 18", f11: "M4 9V4h5M15 4h5v5M20 15v5h-5M9 20H4v-5",
  o: "M4 7h16M4 12h16M4 17h16M9 5v4M15 10v4M7 15v4",
};

// Buttons on the glass, for fingers: those of a game are held, others are clicked, as a browser fills the screen in a
// click only. `asked` has label, name of a key, and side of each.
const onGlass = new Set();  // keys that are held there
function showGlass(stage, asked) {
  const sides = Object.fromEntries(["left", "right", "corner", "middle"].map(side => [side, document.createElement("div")]));
  const press = (key, down) => {
    onGlass[down ? "add" : "delete"](key);
    stage().fingers(true);
    stage().touch(key, down);
  };
  onGlass.forEach(key => press(key, false));
  for (const {label, key, side} of JSON.parse(asked)) {
    if (key === "f11" && !document.fullscreenEnabled) continue;
    const button = document.createElement("button"), isHeld = side === "left" || side === "right";
    button.dataset.key = key;
    button.ariaLabel = label;
    if (side === "corner") button.innerHTML = `<svg viewBox="0 0 24 24"><path d="${ICONS[key]}"/></svg>`;
    else button.textContent = label;
    if (isHeld) button.style.fontSize = `calc(var(--size) * ${Math.min(0.29, 1.3 / label.length)})`;
    const hold = down => event => {
      event.preventDefault();  // the keys stay the canvas'
      button.classList.toggle("down", down);
      if (isHeld && down !== onGlass.has(key)) press(key, down);
    };
    button.addEventListener("pointerdown", hold(true));
    for (const ending of ["pointerup", "pointercancel", "lostpointercapture"]) button.addEventListener(ending, hold(false));
    if (!isHeld) button.addEventListener("click", () => [true, false].forEach(down => press(key, down)));
    sides[side].append(button);
  }
  for (const [side, group] of Object.entries(sides)) group.className = side;
  element("glass").replaceChildren(...Object.values(sides));
}

// ---- The page
const element = id => document.getElementById(id);

function say(share, text) {
  element("bar").style.width = `${100 * share}%`;
  element("said").textContent = text;
}

// Shows what went wrong: one sentence, with file and line where Python knows them, and what it has written on stderr.
const written = [];
function fail(error) {
  const lines = String(error?.message ?? error).trim().split("\n"), isPython = error?.name === "PythonError";
  const page = globalThis.ecs_softbody;
  page?.script.sound.context.suspend();
  element("cover").hidden = element("glass").hidden = true;
  element("wrong").hidden = false;
  document.querySelector("#wrong h1").textContent = `${document.title} ${page?.pictures ? "has stopped" : "cannot begin"}`;
  element("sentence").textContent = isPython ? lines.at(-1) : lines[0];
  element("place").textContent = isPython ? "" : lines.slice(1).join("\n");
  element("traceback").textContent = (isPython ? lines : written.slice(-60)).join("\n");
  console.error(lines.join("\n"));
}

// Loads Python with the archives of the lock, and returns it.
async function loadPython(lock, got) {
  const blob = (role, type) => URL.createObjectURL(new Blob([got.get(role)], {type}));
  const wasm = got.get("wasm"), fetchElsewhere = globalThis.fetch;
  globalThis.fetch = (url, ...rest) =>  // it is here already, and has been checked
    String(url).endsWith("pyodide.asm.wasm")
      ? Promise.resolve(new Response(wasm, {headers: {"Content-Type": "application/wasm"}}))
      : fetchElsewhere(url, ...rest);
  await import(blob("script", "text/javascript"));
  const {loadPyodide} = await import(blob("loader", "text/javascript"));
  const py = await loadPyodide({
    indexURL: new URL("./", location.href).href,
    stdLibURL: blob("stdlib", "application/zip"),
    lockFileURL: `data:application/json,${encodeURIComponent(JSON.stringify(lock.pyodide))}`,
    stderr: line => { written.push(line); console.info(line); },
    env: {HOME: "/home/pyodide", TZ: "UTC", ECS_SOFTBODY_DATA: SAVES, ECS_SOFTBODY_PICTURES: "/pictures"},
  });
  globalThis.fetch = fetchElsewhere;
  for (const [role, content] of got) {
    if (role.startsWith("archive")) py.unpackArchive(content, "zip", {extractDir: lock.site});
  }
  return py;
}

const PATIENCE = 5000;  // [ms] for which a picture may be gone

// Plays the game of this page. What `lock.json` names is fetched from beside it.
export async function start() {
  const canvas = element("canvas");
  try {
    openContext(canvas);
    const lock = await fetchLock(), untold = [];
    const asked = new URLSearchParams(location.search), carried = new URLSearchParams(location.hash.slice(1));
    addEventListener("hashchange", () => location.reload());
    let lost = 0;
    canvas.addEventListener("webglcontextlost", event => {
      event.preventDefault();  // so that it may come back
      lost = setInterval(() => document.hidden || fail(new Error("The browser has let go of the picture: reload the page.")), PATIENCE);
    });
    canvas.addEventListener("webglcontextrestored", () => {
      clearInterval(lost);
      globalThis.ecs_softbody?.stage.restore();
    });
    document.title = lock.title;
    const got = await fetchAll(lock.runtime, say);
    say(1, "Starting");
    const py = await loadPython(lock, got);
    const keep = await keepSaves(py.FS, told => untold.push(told));
    const sound = makeSound(py._module);
    const size = () => [canvas.clientWidth, canvas.clientHeight].map(side => Math.round(side * (devicePixelRatio || 1)));
    const script = {
      sound,
      backend: shaders => makeBackend(canvas, py._module, JSON.parse(shaders)),
      caption(text) { document.title = document.querySelector("#cover h1").textContent = text; },
      fullscreen() { document.fullscreenElement ? document.exitFullscreen() : document.body.requestFullscreen?.(); },
      glass(asked) { showGlass(() => globalThis.ecs_softbody.stage, asked); },
      wrong(sentence) { fail(new Error(sentence)); },
      download(name, address, length, type) {
        const link = document.createElement("a");
        link.href = URL.createObjectURL(new Blob([py._module.HEAPU8.slice(address, address + length)], {type}));
        link.download = name;
        link.click();
        setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
      },
    };
    const begin = py.pyimport("ecs_softbody.cli.in_page").begin;
    const stage = begin(script, ...size(), lock.game, asked.get("game") ?? "", carried.get("scene") ?? "");
    if (!stage) return;  // the page has been told why
    globalThis.ecs_softbody = {stage, script, py, pictures: 0};  // for tests, and for the curious
    stage.picture();
    await clicked(element("play"));
    element("cover").hidden = true;
    play(canvas, stage, sound, keep, size, untold);
  } catch (error) {
    fail(error);
  }
}

function clicked(button) {
  element("progress").hidden = true;
  button.hidden = false;
  button.focus();
  return new Promise(done => button.addEventListener("click", done, {once: true}));
}

function play(canvas, stage, sound, keep, size, untold) {
  const page = globalThis.ecs_softbody;
  sound.context.resume();
  canvas.focus();
  hearKeysAndMouse(canvas, stage);
  takeFingers(stage, matchMedia("(pointer: coarse)").matches);
  addEventListener("resize", () => stage.resize(...size()));
  addEventListener("blur", () => stage.leave());
  addEventListener("focus", () => stage.come_back());
  document.addEventListener("visibilitychange", () => {
    keep();
    sound.context[document.hidden ? "suspend" : "resume"]();
    stage[document.hidden ? "hide" : "unhide"]();
  });
  addEventListener("pagehide", keep);
  setInterval(keep, 1000);
  setInterval(() => untold.length && stage.tell(untold.splice(0)[0]), 1000);
  const picture = () => {
    try {
      readPads(stage);
      if (!element("wrong").hidden) return;
      if (!stage.picture()) return void keep().then(() => location.reload());  // the player has left: begin again
      page.pictures++;
      requestAnimationFrame(picture);
    } catch (error) {
      fail(error);
    }
  };
  stage.resize(...size());
  requestAnimationFrame(picture);
}
