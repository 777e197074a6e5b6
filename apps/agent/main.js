/**
 * The agent of a clone. It runs as the bundle that hosts get, because that takes 69 MB of memory and the same as modules 88 MB.
 * JavaScript, so that nothing here loads a compiler.
 */
import { bundled } from "../../tools/bundled.mjs";

const folder = bundled("agent");
await import(folder === undefined ? "./main.ts" : `${folder}/reeve-agent.mjs`);
