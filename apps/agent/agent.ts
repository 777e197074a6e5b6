import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { enrol, hostFacts, readIdentity, startAgent, writeIdentity } from "@reeve/agent";
import { tidyMemoryWhenIdle } from "@reeve/model/idle-memory";
import { help, type JoinCommand, type RunCommand, readCommand } from "./config.ts";
import { executors, partsWith } from "./executors.ts";
import { lockFolder } from "./lock.ts";
import about from "./package.json" with { type: "json" };

const exitCodes = { stopped: 0, revoked: 3, replaced: 4 } as const;
const identityFile = (data: string) => join(data, "identity.json");

/** One page: what was asked, then join or run. Resolves to the exit status. */
export async function main(argv: readonly string[]): Promise<number> {
  try {
    const command = readCommand(argv);
    if (command.does === "tell") {
      process.stdout.write(command.what === "help" ? help : `${about.version}\n`);
      return 0;
    }
    mkdirSync(command.data, { recursive: true, mode: 0o711 });
    await lockFolder(command.data);
    return command.does === "join" ? await joinAs(command) : await run(command);
  } catch (error) {
    say(error instanceof Error ? error.message : String(error));
    return 1;
  }
}

async function joinAs({ data, urls, token, name, labels, bearer }: JoinCommand): Promise<number> {
  const facts = hostFacts(about.version, []);
  const identity = await enrol({ urls, token, name, labels, facts, ...(bearer ? { bearer } : {}) });
  await writeIdentity(identityFile(data), identity);
  const place = identity.scope === "" ? "the installation" : identity.scope;
  say(`joined ${place} as host ${identity.name}; \`reeve-agent run --data ${data}\` does its work`);
  return 0;
}

async function run({ data, slots, urls, leash, logLimits, docker }: RunCommand): Promise<number> {
  const identity = await readIdentity(identityFile(data));
  if (identity === undefined)
    throw new Error(
      `no agent has joined in ${data}; run \`reeve-agent join URL --token TOKEN --data ${data}\` first`,
    );
  const agent = await startAgent({
    folder: data,
    identity: { ...identity, urls: urls ?? identity.urls },
    keepIdentity: (renewed) => writeIdentity(identityFile(data), renewed),
    executors,
    ...partsWith(docker, data),
    slots,
    logLimits,
    version: about.version,
    log: say,
  });
  tidyMemoryWhenIdle();
  const stop = () => void agent.stop();
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.once(signal, stop);
  if (leash) process.stdin.on("end", stop).on("error", stop).resume();
  const { reason, why } = await agent.ended;
  await agent.stop();
  if (reason === "replaced") say(`another process runs as ${identity.name}, so this one has ended: ${why}`);
  if (reason === "revoked")
    say(`the control plane no longer knows ${identity.name} (${why}); join again with a new token`);
  if (leash) process.stdin.destroy();
  return exitCodes[reason];
}

function say(text: string): void {
  process.stderr.write(`reeve-agent: ${text}\n`);
}
