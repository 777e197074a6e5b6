/** The verbs of schedules. */
import type { AnyVerb } from "@reeve/sdk/cli";
import { backfill } from "./backfill.ts";
import { scheduleList } from "./schedule-list.ts";
import { schedulePreview } from "./schedule-preview.ts";

export const scheduleVerbs: readonly AnyVerb[] = [scheduleList, schedulePreview, backfill];
