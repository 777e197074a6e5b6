import { Fault } from "@reeve/model";
import type { Desk } from "@reeve/sdk/cli";
import { Backup, shownSize, verdictOf } from "../kinds/index.ts";

/** Shows how a backup goes until it is known whether it is good; the exit code tells. */
export async function follow(desk: Desk, name: string): Promise<number> {
  const stop = new AbortController();
  const backups = (await desk.client()).kind(Backup);
  const changes = backups.watch("", {
    fields: { "metadata.name": name },
    signal: stop.signal,
    onLost: (fault) => desk.progress(`${fault.message}; connecting again`),
  });
  // What keeps it from beginning is no change of it, so now and then somebody has to ask.
  const asking = setInterval(async () => {
    const { look } = await backups.why("", name).catch(() => ({ look: null }));
    if (look?.outcome === "waiting" || look?.outcome === "failed") desk.say(look.why);
  }, 10_000);
  try {
    for await (const { type, resource } of changes) {
      if (type === "removed") throw new Fault("not_found", `backup ${name} was deleted meanwhile`);
      const { status } = resource;
      desk.progress(status.progress ?? "waiting for a server to begin");
      const verdict = verdictOf(status);
      if (verdict === undefined) continue;
      desk.progress("");
      desk.say(`backup ${name}: ${shownSize(status.bytes)}, ${status.rows} rows; ${verdict.message}`);
      return verdict.status === "true" ? 0 : 1;
    }
  } finally {
    clearInterval(asking);
    stop.abort();
  }
  return 1;
}
