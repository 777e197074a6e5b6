import { setTimeout as sleep } from "node:timers/promises";
import { openApi, project } from "../../harness/api.ts";

export interface SoloWriter {
  readonly acknowledged: readonly { readonly generation: number; readonly count: string }[];
  /** Conflicts that nobody else can have caused: the server met its own commit and took it for a stranger's. */
  readonly conflictsWithItself: readonly string[];
  readonly refusals: readonly string[];
  stop(): Promise<void>;
}

/**
 * Counts up a project that nobody else writes, with If-Match and without a key, and never repeats a request. So a conflict is
 * possible only after an answer that did not come; at any other time the server must have carried a commit out twice.
 */
export function startSoloWriter(urls: readonly string[], token: string, name: string): SoloWriter {
  const acknowledged: { generation: number; count: string }[] = [];
  const conflictsWithItself: string[] = [];
  const refusals: string[] = [];
  let stopped = false;
  const count = async () => {
    // Until the next success, a request of which we heard nothing may still be carried out.
    let doubt = false;
    for (let at = 0; !stopped; at++) {
      await sleep(30);
      const api = openApi(urls[Math.floor(at / 20) % urls.length] ?? "", token);
      const path = `/api/v1/organizations/acme/projects/${name}`;
      const signal = AbortSignal.timeout(3000);
      const before = await api.call("GET", path, { signal }).catch(() => undefined);
      if (before?.status !== 200) continue;
      const { metadata, spec } = before.body;
      const body = project(name, { displayName: String(Number(spec.displayName) + 1) });
      const headers = { "if-match": `"${metadata.revision}"` };
      const answer = await api.call("PUT", path, { body, headers, signal }).catch(() => undefined);
      if (answer?.status === 200) {
        doubt = false;
        acknowledged.push({
          generation: answer.body.metadata.generation,
          count: answer.body.spec.displayName,
        });
      } else if (answer?.status === 409 && !doubt) conflictsWithItself.push(answer.text);
      else if (answer === undefined || answer.status === 503) doubt = true;
      else if (answer.status !== 409) refusals.push(`${answer.status} ${answer.text}`);
    }
  };
  const counting = count();
  return {
    acknowledged,
    conflictsWithItself,
    refusals,
    async stop() {
      stopped = true;
      await counting;
    },
  };
}
