import { main } from "./agent.ts";

process.exitCode = await main(process.argv.slice(2));
