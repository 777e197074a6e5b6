/** What a host itself offers to people. */
export { shellOpener } from "./shell.ts";
