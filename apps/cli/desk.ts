import { Fault, type Kind, type Resource } from "@reeve/model";
import { type Client, connect } from "@reeve/sdk";
import { type CliKind, type Desk, type GlobalFlags, Usage } from "@reeve/sdk/cli";
import { attach } from "./attach.ts";
import { type Environment, readEnvironment } from "./config.ts";
import { type Connection, chooseConnection } from "./contexts/connection.ts";
import { type ContextFile, openContextFile } from "./contexts/context-file.ts";
import { kindFinder } from "./kinds.ts";
import { changeLines } from "./output/changes.ts";
import { printed } from "./output/print.ts";
import { structured } from "./output/structured.ts";
import { tableLines } from "./output/table.ts";
import { fitScope, placeOf, splitTarget } from "./places.ts";
import { openPrompts } from "./prompts.ts";
import { proveAnew } from "./prove-anew.ts";
import { followRun } from "./runs/follow-run.ts";
import { outcomeCode } from "./runs/words.ts";
import { openTerminal, type Terminal } from "./terminal.ts";
import { userAgent } from "./version.ts";

/** The desk of the verbs that belong to the CLI itself: they also see contexts and the terminal. */
export interface CliDesk extends Desk {
  readonly environment: Environment;
  readonly contexts: ContextFile;
  readonly terminal: Terminal;
  readonly knownKinds: readonly Kind[];
  connection(): Connection;
}

interface DeskOptions {
  readonly flags: GlobalFlags;
  readonly kinds: readonly Kind[];
}

export function openDesk({ flags, kinds }: DeskOptions): CliDesk {
  const environment = readEnvironment();
  const terminal = openTerminal({ quiet: flags.quiet, columns: environment.columns });
  const contexts = openContextFile(environment.configFile, terminal.say);
  const finder = kindFinder(kinds);
  let chosen: Connection | undefined;
  let client: Client | undefined;

  function connection(): Connection {
    chosen ??= chooseConnection(flags, environment, contexts.read());
    return chosen;
  }

  async function openClient(): Promise<Client> {
    const { name, url, token, ca } = connection();
    // A token proves no person, and without a terminal nobody can be asked: then the server's refusal says what to do.
    const canProve = terminal.interactive && name !== undefined && environment.token === undefined;
    client ??= connect({
      url,
      userAgent,
      ...(token === undefined ? {} : { token }),
      ...(ca === undefined ? {} : { ca }),
      onRetry: (fault) => terminal.progress(`${fault.message}; trying again`),
      ...(canProve ? { prove: () => proveAnew(desk, name) } : {}),
    });
    return client;
  }

  const findKind = (word: string): Promise<CliKind> => finder.find(word, openClient);

  const desk: CliDesk = {
    flags,
    environment,
    contexts,
    terminal,
    knownKinds: kinds,
    connection,
    client: openClient,
    kind: findKind,
    async target(word, name) {
      const split = name === undefined ? splitTarget(word) : { word, path: name };
      if (split === undefined)
        throw new Usage(`${JSON.stringify(word)} names no resource`, "write KIND/NAME, such as project/shop");
      const kind = await findKind(split.word);
      return { kind, ...placeOf(kind, split.path, connection().standing) };
    },
    scopeFor: async (kind) => fitScope(kind, connection().standing, flags.deep),
    out: terminal.out,
    say: terminal.say,
    progress: terminal.progress,
    async print(kind, resources, options = {}) {
      const style = {
        output: flags.output ?? "table",
        width: terminal.width,
        scoped: flags.deep,
        ...options,
      } as const;
      terminal.out(await printed(kind, resources as readonly Resource[], style));
    },
    attach: async (ticket) => attach(await openClient(), terminal, ticket),
    interactive: Boolean(process.stdin.isTTY && process.stdout.isTTY),
    follow: async (run) => outcomeCode(await followRun(desk, run)),
    async data(value) {
      const text = await structured(value, flags.output);
      if (text !== undefined) terminal.out(text);
      return text !== undefined;
    },
    changes(changes) {
      for (const line of changeLines(changes)) terminal.out(`${line}\n`);
    },
    table(titles, rows) {
      const width = flags.output === "wide" ? undefined : terminal.width;
      terminal.out(
        tableLines(titles, rows, width)
          .map((line) => `${line}\n`)
          .join(""),
      );
    },
    ask: openPrompts(terminal),
    stdin: terminal.stdin,
  };
  return desk;
}

/** Whether a fault only says that the thing is not there. */
export function isMissing(error: unknown): boolean {
  return error instanceof Fault && error.kind === "not_found";
}
