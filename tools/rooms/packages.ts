/** The rule that a package's package.json lists what the package imports, all of it and nothing else. */
import { isBuiltin } from "node:module";
import { type Finding, isTest, isTesting, type Source } from "./source.ts";

export interface Package {
  name: string;
  /** From the root: `core/model`. */
  folder: string;
  /** package.json as written, to point at a line. */
  text: string;
  dependencies: readonly string[];
  /** Optional and peer dependencies: may be imported, need not be. */
  others: readonly string[];
  devDependencies: readonly string[];
  /** Its entrances, and its inner names that mean another file in a browser. */
  exports: Readonly<Record<string, string>>;
  imports: Readonly<Record<string, { readonly browser?: string }>>;
}

type Manifest = Partial<Pick<Package, "exports" | "imports">> &
  Record<
    "dependencies" | "optionalDependencies" | "peerDependencies" | "devDependencies",
    Record<string, string> | undefined
  > & { name: string };

export function readPackage(folder: string, text: string): Package {
  const manifest = JSON.parse(text) as Manifest;
  const names = (part: Record<string, string> | undefined) => Object.keys(part ?? {});
  return {
    name: manifest.name,
    folder,
    text,
    dependencies: names(manifest.dependencies),
    others: [...names(manifest.optionalDependencies), ...names(manifest.peerDependencies)],
    devDependencies: names(manifest.devDependencies),
    exports: manifest.exports ?? {},
    imports: manifest.imports ?? {},
  };
}

export function packageFindings(
  sources: readonly Source[],
  packages: readonly Package[],
  rootDevDependencies: readonly string[],
): Finding[] {
  return packages.flatMap((one) => {
    const own = sources.filter(({ file }) => file.startsWith(`${one.folder}/`));
    return [...unlisted(own, one, rootDevDependencies), ...unused(own, one)];
  });
}

function unlisted(own: readonly Source[], one: Package, rootDevDependencies: readonly string[]): Finding[] {
  const listed = new Set([one.name, ...one.dependencies, ...one.others]);
  const forTests = new Set([...listed, ...one.devDependencies, ...rootDevDependencies]);
  return own.flatMap(({ file, imports }) => {
    const test = isTest(file) || isTesting(file);
    return imports.flatMap(({ specifier, line }) => {
      const name = packageName(specifier);
      if (!name || (test ? forTests : listed).has(name) || (test && specifier === "@reeve/store/testing"))
        return [];
      return { file, line, message: `imports ${name}, which ${one.folder}/package.json does not list` };
    });
  });
}

function unused(own: readonly Source[], one: Package): Finding[] {
  const product = own.filter(({ file }) => !isTest(file));
  return one.dependencies.flatMap((name) => {
    // Any string that names it counts: some packages are resolved (static files) and never imported.
    const names = (text: string) => text === name || text.startsWith(`${name}/`);
    if (product.some(({ tokens }) => tokens.some((token) => token.kind === "string" && names(token.text))))
      return [];
    const line = one.text.split("\n").findIndex((text) => text.includes(`"${name}"`)) + 1;
    return {
      file: `${one.folder}/package.json`,
      line,
      message: `lists ${name}, which nothing in it but tests imports`,
    };
  });
}

function packageName(specifier: string): string | undefined {
  if (/^[.#]/.test(specifier) || isBuiltin(specifier)) return undefined;
  return specifier
    .split("/")
    .slice(0, specifier.startsWith("@") ? 2 : 1)
    .join("/");
}
