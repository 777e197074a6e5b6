/** The executors of workflows' own steps. They say what is to be run; `core/agent/attempts` runs it. */
import type { Executor } from "@reeve/agent";
import { gitFetch } from "./git.ts";
import { http } from "./http.ts";
import { noop } from "./noop.ts";
import { python } from "./python.ts";
import { shell } from "./shell.ts";

export const workflowExecutors: readonly Executor[] = [shell, python, http, gitFetch, noop];
