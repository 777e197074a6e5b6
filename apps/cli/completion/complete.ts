import { connect } from "@reeve/sdk";
import type { AnyVerb } from "@reeve/sdk/cli";
import type { CliDesk } from "../desk.ts";
import { fitScope } from "../places.ts";
import { candidates, type Words } from "./candidates.ts";

/** A person waits with a finger on the key. */
const patienceMs = 1_500;

/** Prints what may stand at the cursor, one to a line. Never a mistake: a completion that complains is worse than none. */
export async function complete(
  args: readonly string[],
  verbs: readonly AnyVerb<CliDesk>[],
  desk: CliDesk,
): Promise<number> {
  const words = args[0] === "--" ? args.slice(1) : args;
  try {
    const found = await candidates(words, verbs, wordsOf(desk));
    process.stdout.write(found.map((one) => `${one}\n`).join(""));
  } catch {
    // Not signed in, no server, a bad file: nothing to offer.
  }
  return 0;
}

function wordsOf(desk: CliDesk): Words {
  const { knownKinds: kinds } = desk;
  const client = () => {
    const { url, token, ca } = desk.connection();
    const patience = { timeoutMs: patienceMs, retry: { attempts: 1, withinMs: patienceMs } };
    return connect({
      url,
      ...patience,
      ...(token === undefined ? {} : { token }),
      ...(ca === undefined ? {} : { ca }),
    });
  };
  const namesAt = async (word: string, scope: string | undefined) => {
    const kind = await desk.kind(word);
    const standing = scope === undefined ? desk.connection().standing : { scope, explicit: true };
    const page = await client().kind(kind).page(fitScope(kind, standing), { limit: 200 });
    return page.items.map((one) => one.metadata.name);
  };
  return {
    kinds: () => kinds.map((kind) => kind.plural),
    contexts: () => Object.keys(desk.contexts.read().contexts),
    names: namesAt,
    async scopes(prefix) {
      const depth = prefix === "" ? 0 : prefix.split("/").length;
      const word = ["organizations", "projects", "workspaces"][depth];
      if (word === undefined) return [];
      const names = await namesAt(word, prefix);
      return names.map((name) => (prefix === "" ? name : `${prefix}/${name}`));
    },
  };
}
