import { client } from "@reeve/kit";
import type { PastAttempt, Run, Step } from "@reeve/model";
import { useEffect, useState } from "react";

const mostKept = 10_000;

/** The attempts that others followed. They are read again when there are more of them, which the steps tell. */
export function useAttempts({ id }: Run, steps: readonly Step[]): readonly PastAttempt[] {
  const [attempts, setAttempts] = useState<readonly PastAttempt[]>([]);
  const epochs = steps.reduce((sum, { epoch }) => sum + epoch, 0);
  const tried = steps.some(({ epoch }) => epoch > 1);
  // biome-ignore lint/correctness/useExhaustiveDependencies: read again with each new attempt
  useEffect(() => {
    if (!tried) return;
    let over = false;
    void (async () => {
      const found: PastAttempt[] = [];
      for await (const attempt of client.runs.allAttempts(id)) if (found.push(attempt) >= mostKept) break;
      if (!over) setAttempts(found);
    })().catch(() => {});
    return () => {
      over = true;
    };
  }, [id, tried, epochs]);
  return attempts;
}
