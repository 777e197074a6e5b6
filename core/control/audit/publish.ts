import { createHmac } from "node:crypto";
import { open } from "node:fs/promises";
import { newUid } from "@reeve/model";
import type { SignedHead } from "@reeve/model/audit";
import { type Database, markPublished, unpublishedHeads } from "@reeve/store";

/** Where heads go, beyond the reach of whoever can write to the database. */
export interface HeadsOut {
  readonly file?: string | undefined;
  readonly webhook?: { readonly url: string; readonly secret: string } | undefined;
}

const webhookMs = 10_000;

/**
 * Hands out the heads that are new since the last time; false when there are none. A head counts as published only when every place has it; until then the
 * next turn brings it, or a newer one of the same chain.
 */
export async function publishHeads(database: Database, out: HeadsOut): Promise<boolean> {
  const rows = await unpublishedHeads(database);
  if (rows.length === 0) return false;
  const heads = rows.map(({ publishedAt: _, ...head }): SignedHead => head);
  if (out.file !== undefined) await append(out.file, heads);
  if (out.webhook !== undefined) await post(out.webhook, heads);
  await markPublished(database, heads);
  return true;
}

async function append(path: string, heads: readonly SignedHead[]): Promise<void> {
  const file = await open(path, "a", 0o640);
  try {
    await file.appendFile(heads.map((head) => `${JSON.stringify(head)}\n`).join(""));
    await file.sync();
  } finally {
    await file.close();
  }
}

/** Signed as Standard Webhooks has it, so that receivers need nothing of ours. */
async function post(to: NonNullable<HeadsOut["webhook"]>, heads: readonly SignedHead[]): Promise<void> {
  const id = newUid();
  const seconds = Math.floor(Date.now() / 1000);
  const body = JSON.stringify({ type: "audit.heads", heads });
  const signature = createHmac("sha256", to.secret).update(`${id}.${seconds}.${body}`).digest("base64");
  const answer = await fetch(to.url, {
    method: "POST",
    redirect: "error",
    signal: AbortSignal.timeout(webhookMs),
    headers: {
      "content-type": "application/json",
      "webhook-id": id,
      "webhook-timestamp": String(seconds),
      "webhook-signature": `v1,${signature}`,
    },
    body,
  });
  await answer.body?.cancel();
  if (!answer.ok) throw new Error(`the webhook answered ${answer.status}`);
}
