import { enableCompileCache } from "node:module";

// Compiled code is kept between starts: it saves most of the time a second start would take.
enableCompileCache();
const { run } = await import("./run.ts");
await run(process.argv.slice(2));
