// Runs a file of Python in Pyodide, in node: node run.mjs PYODIDE_FOLDER SITE FOLDER FILE.py WORDS...
// SITE: where packages go in that Python. FOLDER: is /here there; its *.zip files are unpacked as packages first.
import fs from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";

const [pyodide, site, folder, file, ...words] = process.argv.slice(2);
const { loadPyodide } = await import(pathToFileURL(path.join(pyodide, "pyodide.mjs")));
const py = await loadPyodide({ indexURL: pyodide, env: { HOME: "/home/pyodide", ECS_SOFTBODY_DATA: "/nothing" } });
for (const name of fs.readdirSync(folder).filter(name => name.endsWith(".zip") || name.endsWith(".whl"))) {
  py.unpackArchive(new Uint8Array(fs.readFileSync(path.join(folder, name))), "zip", { extractDir: site });
}
py.FS.mkdirTree("/here");
py.FS.mount(py.FS.filesystems.NODEFS, { root: folder }, "/here");
try {
  py.runPython(`import runpy, sys; sys.argv = ${JSON.stringify([file, ...words])}; sys.path.insert(0, "/here")
runpy.run_path("/here/${file}", run_name="__main__")`);
} catch (error) {
  if (!/SystemExit: 0\s*$/.test(error.message)) {
    console.error(error.message);
    process.exit(1);
  }
}
process.exit(0);
