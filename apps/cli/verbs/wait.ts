import { parseDuration } from "@reeve/model";
import { defineVerb, text, Usage } from "@reeve/sdk/cli";
import { awaitResource } from "../await-resource.ts";
import type { CliDesk } from "../desk.ts";
import { exitCodes } from "../exit-codes.ts";
import { nameOf } from "../output/name-of.ts";
import { targetArgs } from "../target-args.ts";
import { readWaitTest } from "../wait-test.ts";

const standardTimeout = "1m";

export const wait = defineVerb<CliDesk>()({
  name: "wait",
  group: "read",
  summary: "Wait until something is true of a resource",
  args: targetArgs,
  options: {
    for: text("WHAT", "deleted, exists, condition=TYPE[=STATUS], or a field: spec.disabled=true", {
      completes: ["deleted", "exists", "condition="],
    }),
    timeout: text("DURATION", `How long to wait (${standardTimeout})`),
  },
  example: "reeve wait project/shop --for deleted --timeout 5m",
  async run(desk, { args: [word = "", path], options }) {
    if (options.for === undefined)
      throw new Usage("say what to wait for", "reeve wait KIND/NAME --for deleted");
    const test = readWaitTest(options.for);
    const timeout = options.timeout ?? standardTimeout;
    const timeoutMs = parseDuration(timeout);
    const target = await desk.target(word, path);
    const name = nameOf(target.kind, target);
    const { met, known, last } = await awaitResource(await desk.client(), target, test.holds, {
      timeoutMs,
      onChange: (resource) => desk.progress(`waiting for ${test.wanted}: ${test.seen(resource)}`),
      onLost: (message) => desk.progress(`${message}; connecting again`),
    });
    desk.progress("");
    if (met) {
      desk.say(`${name}: ${test.seen(last)}`);
      return exitCodes.ok;
    }
    desk.say(
      `${name}: waited ${timeout} for ${test.wanted}, but ${known ? test.seen(last) : "the server told nothing"}`,
    );
    return exitCodes.no;
  },
});
