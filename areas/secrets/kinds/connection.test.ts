import { readSpec } from "@reeve/model";
import { expect, test } from "vitest";
import { Connection } from "./connection.ts";

const password = { secretRef: { name: "db", key: "password" } };

test("each type has the fields it needs, with the usual ports", () => {
  expect(
    readSpec(Connection, { type: "ssh", host: "a.example", user: "root", privateKey: password }),
  ).toMatchObject({ port: 22 });
  expect(readSpec(Connection, { type: "smtp", host: "a.example" })).toMatchObject({
    port: 587,
    tls: "starttls",
  });
  expect(readSpec(Connection, { type: "git", url: "ssh://git@example.com/a.git" })).toBeDefined();
  expect(readSpec(Connection, { type: "generic", values: { url: "x", token: password } })).toBeDefined();
});

test.each([
  [{ type: "ftp" }, "/spec/type"],
  [{ type: "postgres", host: "a", database: "d", user: "u", password: "plain" }, "/spec/password"],
  [{ type: "http", url: "https://u:pw@example.com" }, "/spec/url"],
  [{ type: "http", url: "ftp://example.com" }, "/spec/url"],
  [{ type: "ssh", host: "-oProxyCommand=x", user: "u" }, "/spec/host"],
  [{ type: "smtp", host: "a", bucket: "b" }, "/spec/bucket"],
])("a secret in the open, or what the type does not know, is refused: %j", (spec, pointer) => {
  expect(() => readSpec(Connection, spec)).toThrow(
    expect.objectContaining({ errors: [expect.objectContaining({ pointer })] }),
  );
});
