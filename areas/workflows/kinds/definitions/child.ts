/**
 * Runs one `*.workflow.ts` file and prints the definitions it exports, as JSON, in its last line. It is started with Node's
 * permission model: it reads its own folder and writes nothing. Of Node's modules only harmless ones are to be had, and no
 * network, so that reading a definition cannot do anything else.
 */
import { registerHooks } from "node:module";
import { pathToFileURL } from "node:url";

const [file = ""] = process.argv.slice(2);
const own = new URL("../define.ts", import.meta.url).href;
const names = ["@reeve/sdk/kinds", "@reeve/workflows/kinds"];
const harmless = new Set(["assert", "crypto", "fs", "path", "url", "util"].map((name) => `node:${name}`));

registerHooks({
  resolve(specifier, context, next) {
    if (names.includes(specifier)) return { url: own, shortCircuit: true };
    const found = next(specifier, context);
    if (found.url.startsWith("node:") && !harmless.has(found.url))
      throw new Error(`a definition cannot use ${found.url}`);
    return found;
  },
});
for (const name of ["fetch", "WebSocket", "EventSource"]) Reflect.deleteProperty(globalThis, name);
for (const name of ["getBuiltinModule", "binding", "dlopen"])
  Object.defineProperty(process, name, { value: undefined });

const answer = process.stdout.write.bind(process.stdout);
console.log = console.info = console.error;

const { default: exported } = (await import(pathToFileURL(file).href)) as { default?: unknown };
if (exported === undefined) throw new Error("it has no default export: export default defineWorkflow({ … })");
const text = JSON.stringify([await exported].flat(), (key, value: unknown) => {
  if (typeof value === "function") throw new Error(`${key} is a function, and a definition is data`);
  return value;
});
answer(`\n${text}\n`);
