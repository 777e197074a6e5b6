import { existsSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { Fault } from "@reeve/model/fault";
import { steadyNow } from "../clock.ts";
import type { ProcessBody } from "../executor.ts";
import { type Account, asAccount, checkPassable, findAccount } from "./accounts.ts";
import { type Attempt, saysNothing } from "./attempt.ts";
import type { StartOrder } from "./attempts.ts";
import { type Groups, makeGroups } from "./groups.ts";
import type { Layout } from "./layout.ts";
import { aboutText } from "./record.ts";
import type { Launch } from "./spawner.ts";

export interface Host {
  readonly boot: string;
  readonly groups: Groups;
  /** Until when the control plane believes in this agent: what guards read. */
  readonly lease: string;
  /** PATH of bodies that declare none. */
  readonly path: string;
  /** HOME of those that run as the agent's own user. */
  readonly home: string;
}

/** systemd's, for services. */
export const usualPath = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

/** A body as the spawner is told of it. Faults are what this host cannot do. */
export async function launchOf(
  host: Host,
  attempt: Attempt,
  order: StartOrder,
  body: ProcessBody,
): Promise<Launch> {
  const { name, layout, kept } = attempt;
  const account = body.user === undefined ? undefined : await findAccount(body.user);
  if (account) checkPassable(dirname(layout.folder), account);
  const env = environment(host, order, layout, account, body.env);
  const [command = ""] = body.argv;
  if (!command.includes("/")) find(command, env.PATH ?? "");
  const about = aboutText(host.boot, new Date(), order.hide.length > 0, steadyNow());
  const umask = (body.umask ?? 0o022).toString(8);
  const groups = makeGroups(host.groups, name, body);
  attempt.limited = groups.length > 0;
  return {
    layout,
    about,
    umask,
    groups,
    lease: kept.exclusive ? host.lease : "",
    argv: withNice(body.nice, account ? asAccount(find("setpriv"), account, body.argv) : body.argv),
    env,
    cwd: resolve(layout.work, body.cwd ?? "."),
    files: body.files ?? {},
    ...(!saysNothing(kept) && { order: JSON.stringify(kept) }),
    ...(account && { owner: { uid: account.uid, gid: account.gid } }),
  };
}

/** What the body sees, and nothing of the agent's own. */
function environment(
  host: Host,
  order: StartOrder,
  layout: Layout,
  account: Account | undefined,
  declared: Readonly<Record<string, string>>,
): Record<string, string> {
  return {
    PATH: host.path,
    HOME: account?.home ?? host.home,
    LANG: "C.UTF-8",
    ...(account && { USER: account.name, LOGNAME: account.name }),
    ...declared,
    REEVE_RUN: order.run,
    REEVE_STEP: order.step,
    REEVE_ATTEMPT: String(order.number),
    REEVE_SCOPE: order.scope,
    REEVE_WORKFLOW: order.workflow,
    // The same for all attempts of a step of a run, so that what it does elsewhere can be done once.
    REEVE_KEY: `${order.run}.${order.seq}`,
    REEVE_OUTPUTS: layout.outputs,
    REEVE_HEARTBEAT: layout.heartbeat,
  };
}

/** A variable that only this attempt's processes have. */
export function markOf(layout: Layout): string {
  return `REEVE_OUTPUTS=${layout.outputs}`;
}

function withNice(nice: number | undefined, argv: readonly string[]): readonly string[] {
  return nice === undefined ? argv : [find("nice"), "-n", String(nice), ...argv];
}

/** The shell's own search; asked before, a missing program is a reason in words and not the exit code 127. */
function find(command: string, path = usualPath): string {
  const found = path
    .split(":")
    .map((folder) => join(folder, command))
    .find((file) => existsSync(file));
  if (found) return found;
  throw new Fault("precondition", `there is no program ${command} on this host (PATH is ${path})`);
}
