import { duration, type JsonObject, line, nameOf, no, type Resource, type Verdict, yes } from "@reeve/model";
import { z } from "zod";
import { connectionField } from "./connection.ts";
import { secretRef } from "./references.ts";

const url = z
  .string()
  .max(2000)
  .regex(/^(https?|ssh|git):\/\/[^\s\0]+$/, {
    error: "write an address that begins with https://, ssh://, http:// or git://",
  })
  .refine((text) => !URL.parse(text)?.password, {
    error: "a password in an address can be read by all: put it in a Secret and refer to it",
  });

/** A part of what Git allows, so that no name is read as anything else. */
const ref = z
  .string()
  .max(200)
  .regex(/^(tag:)?[A-Za-z0-9_][A-Za-z0-9_./+-]*$/, { error: "write a branch, or tag:NAME" })
  .refine((text) => !/\.\.|\/\/|[./]$|\.lock$/.test(text), { error: "not a name of a branch or a tag" });

export const gitFolder = z
  .string()
  .max(500)
  .refine(
    (text) => text.split("/").every((part) => !/^(|\.|\.\.|\.git)$/i.test(part)) && !/[\0\\]/.test(text),
    { error: "write a folder of the repository, such as deploy/workflows" },
  );

/** Where a repository is and what opens it, as kinds that follow one say it. */
export function gitPlace(about: { readonly path: string }) {
  return z
    .strictObject({
      url: url.optional(),
      connection: nameOf("Connection")
        .optional()
        .describe(
          "A Connection of the type git, of this scope or above, instead of `url` and what follows from it.",
        ),
      ref: ref.optional().describe("A branch, or tag:NAME; the repository's own default when left out."),
      path: gitFolder.optional().describe(about.path),
      user: line.min(1).optional().describe("For https, with `password`; some servers take any."),
      password: secretRef.optional().describe("Or an access token; for https."),
      privateKey: secretRef.optional().describe("For ssh, with `knownHosts`."),
      knownHosts: z.string().max(10_000).optional().describe("Lines of the file known_hosts, for ssh."),
      ca: z.string().max(100_000).optional().describe("Certificates to trust, in PEM, for https."),
    })
    .refine((one) => (one.url === undefined) !== (one.connection === undefined), {
      error: "give either url or connection",
    })
    .refine((one) => !one.url?.startsWith("ssh:") || one.knownHosts !== undefined, {
      path: ["knownHosts"],
      error: "ssh needs the server's keys, or anybody could pretend to be it: ssh-keyscan HOST shows them",
    });
}

const leastMs = 10_000;

/** How a kind that follows a repository hears of news: by asking, and by being told, at an address that begins so. */
export function gitNews(about: { readonly path: string }) {
  return {
    every: duration
      .refine((text) => !/^\d+s$/.test(text) || Number.parseInt(text, 10) * 1000 >= leastMs, {
        error: "at least 10s",
      })
      .default("1m")
      .describe("How often it asks for news."),
    push: z
      .strictObject({ secret: secretRef.describe("What the Git server signs with.") })
      .optional()
      .describe(
        `Lets the Git server tell of pushes, at /api/v1${about.path}/SCOPE/NAME: they are fetched at once.`,
      ),
  };
}

/** Whether one that follows a repository can ask for news; also for a push, which is nobody's action. */
export function canFollow({ kind, metadata }: Pick<Resource, "kind" | "metadata">): Verdict {
  const what = kind.toLowerCase();
  if (metadata.deletingAt !== undefined) return no(`the ${what} is being deleted`);
  return metadata.paused ? no(`the ${what} is paused; resume it first`) : yes;
}

const fromConnection = ["url", "user", "password", "privateKey", "knownHosts"] as const;

/** What a Connection of the type git says of a repository, as references; undefined when it is of another type. */
export function gitOfConnection(name: string, connection: JsonObject): JsonObject | undefined {
  if (connection.type !== "git") return undefined;
  const fields = fromConnection.filter((field) => connectionField(connection, field) !== undefined);
  return Object.fromEntries(fields.map((field) => [field, `\${{ connections.${name}.${field} }}`]));
}
