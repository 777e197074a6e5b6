import type { ActionHandler } from "@reeve/control";
import { deleteFactors, endSessions } from "../store/index.ts";
import { refuseAbove } from "./outrank.ts";

export const endAllSessions: ActionHandler = async ({ resource: { metadata } }, tools) => {
  let ended = 0;
  return {
    also: async (sql) => {
      ended = await endSessions(sql, metadata.uid, { except: null });
    },
    events: [{ tone: "normal", reason: "SessionsEnded", message: "all sessions were ended" }],
    output() {
      tools.forget([metadata.uid]);
      return { sessionsEnded: ended };
    },
  };
};

/** For who has lost their phone and their recovery codes: from here on the password alone signs in again. */
export const resetFactors: ActionHandler = async ({ resource: { metadata }, caller }, tools) => {
  await refuseAbove(tools, caller, metadata);
  let [removed, ended] = [0, 0];
  return {
    also: async (sql) => {
      removed = await deleteFactors(sql, metadata.uid);
      ended = await endSessions(sql, metadata.uid, { except: null });
    },
    events: [
      {
        tone: "warning",
        reason: "FactorsReset",
        message: "all second factors were removed and all sessions ended",
      },
    ],
    output() {
      tools.forget([metadata.uid]);
      return { factorsRemoved: removed, sessionsEnded: ended };
    },
  };
};
