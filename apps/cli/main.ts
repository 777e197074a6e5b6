/** The command line, wired: its areas and verbs, one desk for whichever verb runs, and one way to end. */
import { accessVerbs } from "@reeve/access/cli";
import { accessKinds } from "@reeve/access/kinds";
import { backupVerbs } from "@reeve/backup/cli";
import { backupKinds } from "@reeve/backup/kinds";
import { hostsVerbs } from "@reeve/hosts/cli";
import { hostsKinds } from "@reeve/hosts/kinds";
import { notificationsKinds } from "@reeve/notifications/kinds";
import { type AnyVerb, Usage } from "@reeve/sdk/cli";
import { secretsVerbs } from "@reeve/secrets/cli";
import { secretsKinds } from "@reeve/secrets/kinds";
import { servicesVerbs } from "@reeve/services/cli";
import { servicesKinds } from "@reeve/services/kinds";
import { scheduleVerbs } from "@reeve/workflows/cli";
import { workflowsKinds } from "@reeve/workflows/kinds";
import { CommanderError } from "commander";
import { complete } from "./completion/complete.ts";
import { type CliDesk, openDesk } from "./desk.ts";
import { exitCodeOf, exitCodes } from "./exit-codes.ts";
import { faultLines } from "./fault-report.ts";
import { endOnInterrupt, Interrupted } from "./interrupted.ts";
import { buildProgram } from "./program.ts";
import { endQuietlyOnClosedPipe } from "./terminal.ts";
import { act } from "./verbs/act.ts";
import { agentJoin } from "./verbs/agent-join.ts";
import { apiResources } from "./verbs/api-resources.ts";
import { apply } from "./verbs/apply.ts";
import { auditVerbs } from "./verbs/audit.ts";
import { authorityVerbs } from "./verbs/authority.ts";
import { completion } from "./verbs/completion.ts";
import { confirm } from "./verbs/confirm.ts";
import { contextVerbs } from "./verbs/context.ts";
import { debug } from "./verbs/debug.ts";
import { remove } from "./verbs/delete.ts";
import { describe } from "./verbs/describe.ts";
import { diff } from "./verbs/diff.ts";
import { edit } from "./verbs/edit.ts";
import { events } from "./verbs/events.ts";
import { explain } from "./verbs/explain.ts";
import { get } from "./verbs/get.ts";
import { history } from "./verbs/history.ts";
import { keyVerbs } from "./verbs/key.ts";
import { link } from "./verbs/link.ts";
import { login } from "./verbs/login.ts";
import { logout } from "./verbs/logout.ts";
import { logs } from "./verbs/logs.ts";
import { pause, resume } from "./verbs/pause.ts";
import { recordingVerbs } from "./verbs/recordings.ts";
import { restore } from "./verbs/restore.ts";
import { rollback } from "./verbs/rollback.ts";
import { run } from "./verbs/run.ts";
import { runsVerbs } from "./verbs/runs.ts";
import { server, startServer } from "./verbs/server.ts";
import { setup } from "./verbs/setup.ts";
import { steeringVerbs } from "./verbs/steer.ts";
import { version } from "./verbs/version.ts";
import { wait } from "./verbs/wait.ts";
import { watch } from "./verbs/watch.ts";
import { why } from "./verbs/why.ts";

const kinds = [
  ...accessKinds,
  ...secretsKinds,
  ...backupKinds,
  ...hostsKinds,
  ...notificationsKinds,
  ...servicesKinds,
  ...workflowsKinds,
];

const verbs: readonly AnyVerb<CliDesk>[] = [
  ...[
    get,
    describe,
    watch,
    wait,
    explain,
    why,
    events,
    history,
    ...runsVerbs,
    logs,
    ...auditVerbs,
    ...recordingVerbs,
    apiResources,
  ],
  ...[apply, diff, edit, remove, rollback, run, ...steeringVerbs, pause, resume, act, ...secretsVerbs],
  ...[...scheduleVerbs, ...hostsVerbs, ...servicesVerbs],
  ...[setup, login, logout, confirm, link, ...contextVerbs, ...accessVerbs],
  ...[server, agentJoin, ...authorityVerbs, ...keyVerbs, ...backupVerbs, restore, debug, completion, version],
];

async function main(argv: readonly string[]): Promise<number> {
  // These two read their arguments themselves: a flag after `server` is the server's, a half-written word is no mistake.
  if (argv[0] === "server") return startServer(argv.slice(1));
  if (argv[0] === "__complete")
    return complete(argv.slice(1), verbs, openDesk({ flags: { deep: false, quiet: true }, kinds }));
  let code: number = exitCodes.ok;
  const program = buildProgram(verbs, async (verb, flags, input) => {
    code = (await verb.run(openDesk({ flags, kinds }), input)) ?? exitCodes.ok;
  });
  program.exitOverride().configureOutput({ outputError: () => undefined });
  for (const command of program.commands.flatMap((one) => [one, ...one.commands]))
    command.copyInheritedSettings(program);
  if (argv.length === 0) program.outputHelp();
  else await program.parseAsync(argv, { from: "user" });
  return code;
}

/** The parser's own words, in our form. */
function asUsage(error: unknown): unknown {
  if (!(error instanceof CommanderError)) return error;
  return new Usage(
    error.message.replace(/^error: /, "").replace(/\n/g, " "),
    "see reeve --help, or reeve VERB --help",
  );
}

function endOf(error: unknown): number {
  if (error instanceof CommanderError && error.exitCode === 0) return exitCodes.ok;
  // `reeve token` alone has shown its help already.
  if (error instanceof CommanderError && error.code === "commander.help") return exitCodes.usage;
  if (error instanceof Interrupted) return exitCodes.interrupted;
  process.stderr.write(`${faultLines(asUsage(error)).join("\n")}\n`);
  return exitCodeOf(asUsage(error));
}

endQuietlyOnClosedPipe();
endOnInterrupt();
process.exitCode = await main(process.argv.slice(2)).catch(endOf);
