import { Fault, type Kind, kindRegistry } from "@reeve/model";
import type { Client, KindInfo } from "@reeve/sdk";
import type { CliKind } from "@reeve/sdk/cli";

/** The kinds this program was built with answer at once; the server is asked only for words they do not know. */
export interface KindFinder {
  readonly known: readonly Kind[];
  find(word: string, client: () => Promise<Client>): Promise<CliKind>;
}

export function kindFinder(known: readonly Kind[]): KindFinder {
  const registry = kindRegistry(known);
  return {
    known,
    async find(word, client) {
      const own = registry.find(word);
      if (own !== undefined) return own;
      try {
        return asCliKind(await (await client()).find(word));
      } catch (error) {
        // Whoever misspells a kind wants to hear so, also when not signed in.
        if (error instanceof Fault && error.kind !== "invalid") throw unknownKind(word, known);
        throw error;
      }
    },
  };
}

/** How to show the columns of a kind is code, and that stays on its own side: only names and ages here. */
function asCliKind(info: KindInfo): CliKind {
  return { ...info, columns: [] };
}

function unknownKind(word: string, known: readonly Kind[]): Fault {
  return new Fault("invalid", `there is no kind ${JSON.stringify(word)}`, {
    next: `the kinds are ${known.map((kind) => kind.plural).join(", ")}`,
  });
}
