import { nameText } from "@reeve/model";
import { secretRef } from "@reeve/secrets/kinds";
import { z } from "zod";
import { expression, json } from "./words.ts";

/** A request from outside that begins a run. Its signature is the only key to it. */
export const webhookSpec = z.strictObject({
  name: nameText,
  secret: secretRef.describe("What the sender signs with."),
  signature: z
    .enum(["reeve", "github"])
    .default("reeve")
    .describe(
      "reeve: header Reeve-Signature, over the time and the body. github: X-Hub-Signature-256, over the body.",
    ),
  when: expression
    .optional()
    .describe("False leaves the request alone; it speaks of hook.body and hook.headers."),
  inputs: z
    .record(z.string(), json)
    .optional()
    .describe("The run's inputs, with ${{ hook.body.… }} and ${{ hook.headers.… }}."),
});

export type WebhookSpec = z.infer<typeof webhookSpec>;
