import { createHmac } from "node:crypto";
import type { DueNotification, Message } from "@reeve/store";
import { createTransport } from "nodemailer";
import type { ChannelSpec } from "../kinds/index.ts";
import { type Allowed, addressOf } from "./outgoing.ts";
import { post } from "./post.ts";

/** A channel's spec with the values of its secrets: it must reach no row, log or answer. */
export type OpenChannel = Opened<ChannelSpec>;
type Opened<T> = T extends { readonly secretRef: unknown }
  ? string
  : T extends object
    ? { [K in keyof T]: Opened<T[K]> }
    : T;

export interface Way {
  readonly allowed: Allowed;
  readonly publicUrl: string;
}

/** Sends one notification. Throws an Error whose message says what went wrong. */
export async function send(channel: OpenChannel, due: DueNotification, way: Way): Promise<void> {
  const link = due.message.path === undefined ? undefined : `${way.publicUrl}${due.message.path}`;
  if (channel.type === "webhook") return postSigned(channel, due, link, way.allowed);
  if (channel.type === "slack")
    return post(channel.url, JSON.stringify({ text: asText(due.message, link) }), {}, way.allowed);
  return mail(channel, due, link, way.allowed);
}

/** Signed as Standard Webhooks has it, so that receivers need nothing of ours. */
function postSigned(
  { url, secret }: Extract<OpenChannel, { type: "webhook" }>,
  { id, at, message }: DueNotification,
  link: string | undefined,
  allowed: Allowed,
): Promise<void> {
  const { path: _, ...told } = message;
  const seconds = Math.floor(Date.now() / 1000);
  const body = JSON.stringify({ id, type: `reeve.${message.event}`, at, ...told, ...(link && { link }) });
  const signature = createHmac("sha256", secret).update(`${id}.${seconds}.${body}`).digest("base64");
  const headers = {
    "webhook-id": id,
    "webhook-timestamp": String(seconds),
    "webhook-signature": `v1,${signature}`,
  };
  return post(url, body, headers, allowed);
}

async function mail(
  channel: Extract<OpenChannel, { type: "email" }>,
  { id, message }: DueNotification,
  link: string | undefined,
  allowed: Allowed,
): Promise<void> {
  const { host, port, tls, user, password, from, to } = channel;
  const transport = createTransport({
    host: await addressOf(host, allowed),
    port,
    secure: tls === "always",
    requireTLS: tls === "starttls",
    ignoreTLS: tls === "never",
    tls: { servername: host },
    ...(user === undefined ? {} : { auth: { user, pass: password ?? "" } }),
    connectionTimeout: 10_000,
    greetingTimeout: 10_000,
    socketTimeout: 20_000,
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  try {
    await transport.sendMail({
      from,
      to,
      subject: `[reeve] ${message.title}`,
      text: asText(message, link),
      // The same over all tries: mail programs show a repeat once.
      messageId: `<${id}@reeve>`,
      headers: { "Auto-Submitted": "auto-generated" },
    });
  } finally {
    transport.close();
  }
}

function asText({ title, text }: Message, link: string | undefined): string {
  return [title, text, link].filter((part) => part !== undefined && part !== "").join("\n");
}
