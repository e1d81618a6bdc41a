// The files of a page: fetched, compared with the list of them, unpacked; and those that a game saves.

export const SAVES = "/saves";

const base64 = hex => btoa(String.fromCharCode(...hex.match(/../g).map(byte => parseInt(byte, 16))));
const hexOf = buffer => [...new Uint8Array(buffer)].map(byte => byte.toString(16).padStart(2, "0")).join("");

async function get(url, options) {
  const answer = await fetch(url, options).catch(() => null);
  if (!answer?.ok) throw new Error(`${url} cannot be had (${answer?.status ?? "no answer"}): reload the page, or ask its maker.`);
  return answer;
}

// The list of what the page loads; it is asked for anew each time, as what an older page has left is no use.
export async function fetchLock() {
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

// Unpacks LZMA with the page's own decoder, in a memory of its own.
async function unpack(decoder, content, size) {
  const {memory, unpack, __heap_base} = (await WebAssembly.instantiate(decoder)).instance.exports;
  const from = __heap_base.value, to = from + content.length;
  memory.grow(Math.ceil((to + size) / 65536));
  new Uint8Array(memory.buffer).set(content, from);
  if (unpack(from, content.length, to, size) !== size) throw new Error("A file of this page cannot be unpacked.");
  return new Uint8Array(memory.buffer, to, size);
}

export async function fetchAll(files, progress) {
  const total = files.reduce((sum, file) => sum + file.bytes, 0);
  let done = 0;
  const contents = await Promise.all(files.map(file => fetchFile(file, count => {
    done += count;
    progress(done / total, `${(done / 1e6).toFixed(1)} of ${(total / 1e6).toFixed(1)} MB`);
  })));
  const got = new Map(files.map((file, number) => [file.role, contents[number]]));
  for (const {role, unpacked} of files) {
    if (unpacked) got.set(role, await unpack(got.get("unpacker"), got.get(role), unpacked));
  }
  return got;
}

const GONE = "The browser keeps nothing of this game: it is forgotten at the end.";
const DAMAGED = "Something that was saved here is damaged: it is left out.";

// Saves: files of Python that the browser keeps, each by its name. Only what has changed here is written, so that
// another tab keeps its own. Without a place for them (private windows, no room) games forget them, and `tell` says so.
export async function keepSaves(FS, tell) {
  const done = asked => new Promise((good, bad) => {
    asked.onsuccess = asked.oncomplete = () => good(asked.result);
    asked.onerror = asked.onabort = () => bad(asked.error);
  });
  const lose = (error, told = GONE) => { console.info(`not kept: ${error}`); tell(told); };
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
      const isFile = /^[^./\0][^/\0]*$/.test(name) && contents[number] instanceof Uint8Array;
      if (!isFile) return lose(`${name} is damaged`, DAMAGED);
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
