import { enableCompileCache } from "node:module";
import { fileURLToPath } from "node:url";

// What was compiled is kept in the clone between starts. JavaScript, so that a start that finds everything there does not
// even load the compiler: 20 MB of the agent's memory.
enableCompileCache(fileURLToPath(new URL("../../.cache/compiled", import.meta.url)));
await import("./main.ts");
