import { Code } from "@connectrpc/connect";
import { expect, test } from "vitest";
import { type ControlAnswer, openOutbox } from "./outbox.ts";

const beat = (number: number): ControlAnswer => ({
  message: { case: "beatHeard", value: { number: BigInt(number) } },
});
const welcome: ControlAnswer = { message: { case: "welcome", value: {} } };

test("nothing goes before the welcome, and all that waits goes before the end", async () => {
  const outbox = openOutbox();
  outbox.send(beat(1));
  const answers = outbox.answers();
  const first = answers.next();
  outbox.begin(welcome);
  outbox.send(beat(2));
  outbox.end();
  outbox.send(beat(3));
  expect((await first).value).toBe(welcome);
  const rest: ControlAnswer[] = [];
  for await (const one of answers) rest.push(one);
  expect(rest).toEqual([beat(1), beat(2)]);
});

test("an agent that does not read is let go before it costs much memory", async () => {
  const outbox = openOutbox();
  outbox.begin(welcome);
  for (let number = 0; number < 6000; number++) outbox.send(beat(number));
  const all: ControlAnswer[] = [];
  const reading = (async () => {
    for await (const one of outbox.answers()) all.push(one);
  })();
  await expect(reading).rejects.toMatchObject({ code: Code.ResourceExhausted });
  expect(all).toEqual([]);
});
