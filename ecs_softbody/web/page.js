// The page of a game of ecs_softbody: WebGL 2, keys, mouse, touch, wheel, controllers, sound, saves, full screen.
// Python makes the pictures; what it has in memory is read where it lies. `backend.py` and `stage.py` are its other side.

const BUTTONS = ["a", "b", "x", "y", "leftshoulder", "rightshoulder", "", "", "back", "start", "leftstick", "rightstick"];
const SAVES = "/saves";

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
function hearKeysAndMouse(canvas, stage) {
  const fails = () => !element("wrong").hidden;  // its text can be marked and copied
  addEventListener("keydown", event => {
    const isOfBrowser = event.metaKey || event.altKey || event.code === "F5" || (event.ctrlKey && event.key.length === 1);
    if (isOfBrowser || fails() || event.target.closest?.("button")) return;
    stage.fingers(false);
    if (event.repeat ? stage.knows(event.code, event.key) : stage.key(event.code, event.key, true)) event.preventDefault();
  });
  addEventListener("keyup", event => stage.key(event.code, event.key, false));
  let mouse = null, held = 0;  // the pointer that is the mouse: the first that is down on the canvas; and its buttons
  const follow = event => {
    if (mouse === null && event.type === "pointerdown") {
      mouse = event.pointerId;
      stage.fingers(event.pointerType === "touch");
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

// Controllers, as the events of `Pads`: what has changed since the last picture.
const pads = new Map();
function readPads(stage) {
  const present = new Set();
  for (const pad of navigator.getGamepads?.() ?? []) {
    if (pad?.mapping !== "standard") continue;
    present.add(pad.index);
    if (!pads.has(pad.index)) {
      pads.set(pad.index, {});
      stage.plug(pad.index, pad.id);
    }
    const before = pads.get(pad.index);
    const tell = (what, value, call) => {
      if (before[what] === String(value)) return;
      before[what] = String(value);
      call(value);
    };
    const down = number => pad.buttons[number]?.pressed ?? false;
    BUTTONS.forEach((name, number) => name && tell(name, down(number), is => {
      stage.pad(pad.index, is ? "on_button_press" : "on_button_release", name);
    }));
    for (const [side, axis, trigger] of [["left", 0, 6], ["right", 2, 7]]) {
      tell(`${side}stick`, [pad.axes[axis], -pad.axes[axis + 1]], at => stage.pad(pad.index, "on_stick_motion", `${side}stick`, at));
      tell(`${side}trigger`, pad.buttons[trigger]?.value ?? 0, far => stage.pad(pad.index, "on_trigger_motion", `${side}trigger`, far));
    }
    tell("cross", [down(15) - down(14), down(12) - down(13)], at => stage.pad(pad.index, "on_dpad_motion", at));
  }
  for (const index of [...pads.keys()].filter(index => !present.has(index))) {
    pads.delete(index);
    stage.unplug(index);
  }
}

// Buttons on the glass: what the game has declared, for fingers. `asked` has label, name of a key, and side of each.
function showGlass(stage, asked) {
  const sides = Object.fromEntries(["left", "right", "corner"].map(side => [side, document.createElement("div")]));
  for (const {label, key, side} of JSON.parse(asked)) {
    const button = document.createElement("button");
    button.textContent = label;
    button.style.fontSize = `${Math.min(22, 100 / label.length)}px`;
    button.dataset.key = key;
    const hold = down => event => {
      event.preventDefault();
      button.classList.toggle("down", down);
      stage().fingers(true);
      stage().touch(key, down);
    };
    button.addEventListener("pointerdown", hold(true));
    for (const ending of ["pointerup", "pointercancel", "lostpointercapture"]) button.addEventListener(ending, hold(false));
    sides[side].append(button);
  }
  for (const [side, group] of Object.entries(sides)) group.className = side;
  element("glass").replaceChildren(...Object.values(sides));
}

// ---- Files
const base64 = hex => btoa(String.fromCharCode(...hex.match(/../g).map(byte => parseInt(byte, 16))));
const hexOf = buffer => [...new Uint8Array(buffer)].map(byte => byte.toString(16).padStart(2, "0")).join("");

async function get(url, options) {
  const answer = await fetch(url, options).catch(() => null);
  if (!answer?.ok) throw new Error(`${url} cannot be had (${answer?.status ?? "no answer"}): reload the page, or ask its maker.`);
  return answer;
}

// The list of what the page loads; it is asked for anew each time, as what an older page has left is no use.
async function fetchLock() {
  const lock = await (await get("lock.json", {cache: "no-cache"})).json().catch(() => null);
  if (!Array.isArray(lock?.runtime)) throw new Error("lock.json is damaged: reload the page, or ask its maker.");
  return lock;
}

// Fetches one file, tells of every piece that arrives, and refuses one that is not as the lock says. What the browser
// has kept of an older page is asked for anew.
async function fetchFile(file, arrived, cache = "default") {
  const {url, sha256, bytes} = file;
  const canDigest = globalThis.crypto?.subtle !== undefined;  // not on http pages of other machines
  const answer = await get(url, canDigest ? {cache} : {cache, integrity: `sha256-${base64(sha256)}`});
  const content = new Uint8Array(bytes), reader = answer.body.getReader();
  const next = () => reader.read().catch(() => { throw new Error(`${url} came only in part: reload the page.`); });
  let at = 0;
  for (let piece = await next(); !piece.done && at <= bytes; piece = await next()) {
    if (at + piece.value.length <= bytes) content.set(piece.value, at);
    at += piece.value.length;
    arrived(piece.value.length);
  }
  if (at === bytes && (!canDigest || hexOf(await crypto.subtle.digest("SHA-256", content)) === sha256)) return content;
  arrived(-at);
  if (cache === "default") return fetchFile(file, arrived, "reload");
  throw new Error(`${url} is not the file that this page was made with: reload the page, or ask its maker.`);
}

async function fetchAll(files, progress) {
  const total = files.reduce((sum, file) => sum + file.bytes, 0);
  let done = 0;
  const contents = await Promise.all(files.map(file => fetchFile(file, count => {
    done += count;
    progress(done / total, `${(done / 1e6).toFixed(1)} of ${(total / 1e6).toFixed(1)} MB`);
  })));
  return new Map(files.map((file, number) => [file.role, contents[number]]));
}

// Saves: files of Python that the browser keeps, each by its name. Only what has changed here is written, so that
// another tab keeps its own. Without a place for them (private windows, no room) games forget them, and `tell` says so.
async function keepSaves(FS, tell) {
  const done = asked => new Promise((good, bad) => {
    asked.onsuccess = asked.oncomplete = () => good(asked.result);
    asked.onerror = asked.onabort = () => bad(asked.error);
  });
  const lose = error => { console.info(`not kept: ${error}`); tell("The browser keeps nothing of this game: it is forgotten at the end."); };
  const path = name => `${SAVES}/${name}`, time = name => +FS.stat(path(name)).mtime, known = new Map();
  FS.mkdirTree(SAVES);
  let base;
  try {
    const opening = indexedDB.open("ecs_softbody", 1);
    opening.onupgradeneeded = () => opening.result.createObjectStore("saves");
    base = await done(opening);
    const store = base.transaction("saves").objectStore("saves");
    const [names, contents] = await Promise.all([done(store.getAllKeys()), done(store.getAll())]);
    names.forEach((name, number) => {
      FS.writeFile(path(name), contents[number]);
      known.set(name, time(name));
    });
  } catch (error) {
    lose(error);
    return async () => {};
  }
  const write = async () => {
    const names = FS.readdir(SAVES).filter(name => !name.startsWith("."));
    const changed = names.filter(name => known.get(name) !== time(name)), gone = [...known.keys()].filter(name => !names.includes(name));
    if (!changed.length && !gone.length) return;
    const change = base.transaction("saves", "readwrite"), store = change.objectStore("saves"), written = done(change);
    for (const name of changed) {
      known.set(name, time(name));
      store.put(FS.readFile(path(name)), name);
    }
    for (const name of gone) {
      known.delete(name);
      store.delete(name);
    }
    await written;
  };
  return () => write().catch(lose);
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
  if (!page?.pictures) document.querySelector("#wrong h1").textContent = `${document.title} cannot begin`;
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

// Plays the game of this page. What `lock.json` names is fetched from beside it.
export async function start() {
  const canvas = element("canvas");
  try {
    openContext(canvas);
    const lock = await fetchLock(), untold = [];
    const asked = new URLSearchParams(location.search), carried = new URLSearchParams(location.hash.slice(1));
    addEventListener("hashchange", () => location.reload());
    canvas.addEventListener("webglcontextlost", () => fail(new Error("The browser has let go of the picture: reload the page.")));
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
  const page = globalThis.ecs_softbody, glass = element("glass");
  sound.context.resume();
  canvas.focus();
  hearKeysAndMouse(canvas, stage);
  glass.hidden = !matchMedia("(pointer: coarse)").matches;
  stage.fingers(!glass.hidden);
  addEventListener("touchstart", () => { glass.hidden = false; }, {once: true});
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
