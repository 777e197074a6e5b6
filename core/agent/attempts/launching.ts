import { existsSync } from "node:fs";
import type { Attempt } from "./attempt.ts";
import type { Ending } from "./attempts.ts";
import { refusedEnding } from "./ending.ts";
import type { Layout } from "./layout.ts";
import { preventStart, readRecord } from "./record.ts";
import type { FromSpawner, Launch } from "./spawner.ts";
import { openSpawner } from "./spawner-link.ts";

export interface LaunchingEar {
  /** Its shim is there. */
  readonly started: (attempt: Attempt) => void;
  /** Its shim is there, and tells nobody when it goes. */
  readonly orphaned: (attempt: Attempt) => void;
  readonly gone: (attempt: Attempt) => void;
  /** Nothing of it runs, or ever will. */
  readonly refused: (attempt: Attempt, ending: Ending) => void;
}

interface Launched {
  readonly attempt: Attempt;
  /** Until it is answered; it holds secrets, and scripts may be long. */
  launch?: Launch;
  readonly answer: () => void;
}

/** Starts attempts through the spawner, and knows what became of them when that one dies. */
export function openLaunching(ear: LaunchingEar) {
  const launched = new Map<string, Launched>();
  const spawner = openSpawner({ heard, died });

  function heard(message: FromSpawner): void {
    const one = launched.get(message.name);
    if (!one) return;
    const { attempt } = one;
    if (message.does === "started") {
      attempt.shim = { pid: message.pid, pidStart: "" };
      attempt.startedAt = new Date();
      ear.started(attempt);
    } else {
      launched.delete(attempt.name);
      if (message.does === "exited") {
        attempt.shimCode = message.code;
        ear.gone(attempt);
      } else ear.refused(attempt, refusedEnding(message));
    }
    answered(one);
  }

  function answered(one: Launched): void {
    delete one.launch;
    one.answer();
  }

  /** What it started runs on. What it had not got to is for the next one. */
  function died(): void {
    for (const one of launched.values()) {
      const { attempt, launch } = one;
      if (launch && !existsSync(launch.layout.work)) send(attempt, launch);
      else void takeOver(one);
    }
  }

  async function takeOver(one: Launched): Promise<void> {
    const { attempt } = one;
    launched.delete(attempt.name);
    if (await preventStart(attempt.layout.record)) {
      const why = "the agent's spawner died before the body began";
      ear.refused(attempt, { outcome: "lost", why, endedAt: new Date(), final: false, ...attempt.stop });
    } else {
      const record = readRecord(attempt.layout.record);
      if (record) attempt.shim = record;
      ear.orphaned(attempt);
    }
    answered(one);
  }

  function send({ name }: Attempt, launch: Launch): void {
    spawner.send({ does: "start", name, ...launch });
  }

  return {
    /** Resolves when the ear knows. */
    launch(attempt: Attempt, launch: Launch): Promise<void> {
      return new Promise((answer) => {
        launched.set(attempt.name, { attempt, launch, answer });
        send(attempt, launch);
      });
    },
    /** The spawner has not said whether it runs. */
    isOpen: ({ name }: Attempt): boolean => launched.get(name)?.launch !== undefined,
    remove(layout: Layout): void {
      spawner.send({ does: "remove", layout });
    },
    close: () => spawner.close(),
  };
}
