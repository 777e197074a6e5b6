export function bundled(name: string, root?: string): string | undefined;
