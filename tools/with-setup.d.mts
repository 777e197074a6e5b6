/** Types for the TypeScript that imports with-setup.mjs, which itself must run where nothing is installed. */
export function ensureSetup(root?: string): Promise<void>;
export function nodeBinary(root?: string): string;
export function chooseNode(candidates: ({ file: string; version: string } | undefined)[]): string;
export const SERVER_FLAGS: readonly string[];
export const SERVER_VARIABLES: Readonly<Record<string, string>>;
