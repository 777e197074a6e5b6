import { asFault, sentence } from "@reeve/kit";
import { useState } from "react";

export interface Attempting {
  readonly problem: string | undefined;
  readonly busy: boolean;
  readonly attempt: (work: () => Promise<void>) => Promise<void>;
}

/** Does what a form asks for: what goes wrong is said, and nobody sends it twice at once. */
export function useAttempt(): Attempting {
  const [problem, setProblem] = useState<string>();
  const [busy, setBusy] = useState(false);
  const attempt = async (work: () => Promise<void>) => {
    setProblem(undefined);
    setBusy(true);
    try {
      await work();
    } catch (error) {
      setProblem(wordsOf(error));
    } finally {
      setBusy(false);
    }
  };
  return { problem, busy, attempt };
}

function wordsOf(error: unknown): string {
  const { message, next } = asFault(error);
  return [message, next].flatMap((text) => (text === undefined ? [] : `${sentence(text)}.`)).join(" ");
}
