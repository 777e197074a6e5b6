import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { readConfig } from "./config.ts";

/** An empty folder to be in, with these files. */
function inFolder(files: Readonly<Record<string, string>> = {}): string {
  const folder = mkdtempSync(join(tmpdir(), "reeve-config-"));
  const before = process.cwd();
  process.chdir(folder);
  onTestFinished(() => {
    process.chdir(before);
    rmSync(folder, { recursive: true });
  });
  for (const [name, text] of Object.entries(files)) writeFileSync(name, text);
  return folder;
}

test("with nothing said: people on 127.0.0.1:8080, agents on 127.0.0.1:8090, everything kept in .reeve of this folder", () => {
  const folder = inFolder();
  const { config, command } = readConfig([], {});
  expect(command).toBe("serve");
  expect(config).toMatchObject({
    listen: "127.0.0.1:8080",
    agentListen: "127.0.0.1:8090",
    dataFolder: join(folder, ".reeve"),
    roles: ["api", "agents", "work"],
    trustedProxies: [],
    tlsSelfMade: false,
    homeAgent: "on",
  });
  expect([config.databaseUrl, config.publicUrl, config.tlsCert]).toEqual([undefined, undefined, undefined]);
});

describe("a flag wins over a variable, that over the file, that over the default", () => {
  const file = { "reeve.yaml": "listen: 127.0.0.1:1001\ndata: filed\nlogLevel: debug\n" };
  const variable = { REEVE_LISTEN: "127.0.0.1:1002", REEVE_DATA: "told" };
  const flags = ["--listen", "127.0.0.1:1003"];

  test("all at once: each setting by the strongest that names it", () => {
    const folder = inFolder(file);
    const { listen, dataFolder, logLevel, agentListen } = readConfig(flags, variable).config;
    expect({ listen, dataFolder, logLevel, agentListen }).toEqual({
      listen: "127.0.0.1:1003",
      dataFolder: join(folder, "told"),
      logLevel: "debug",
      agentListen: "127.0.0.1:8090",
    });
    expect(readConfig([], variable).config.listen).toBe("127.0.0.1:1002");
    expect(readConfig([], {}).config.listen).toBe("127.0.0.1:1001");
  });

  test("of files too: --config over REEVE_CONFIG over reeve.yaml, and only one is read", () => {
    inFolder({ ...file, "one.yaml": "listen: 127.0.0.1:1011\n", "two.yaml": "listen: 127.0.0.1:1012\n" });
    const named = { REEVE_CONFIG: "one.yaml" };
    expect(readConfig([], named).config).toMatchObject({ listen: "127.0.0.1:1011", logLevel: "info" });
    expect(readConfig(["--config=two.yaml"], named).config.listen).toBe("127.0.0.1:1012");
  });
});

test("a file says what variables say, with lists, numbers and booleans of its own", () => {
  const text = `
listen: 0.0.0.0:8443            # over TLS, with a certificate of its own
tlsSelfMade: true
publicUrl: https://reeve.example.com
roles: [api, work]
trustedProxies: [10.0.0.5, "2001:DB8:0::7"]
drainSeconds: 15
keepRunsDays: 7.5
notifyNetworks: [10.20.0.0/16]
`;
  inFolder({ "reeve.yaml": text });
  const asVariables = {
    REEVE_LISTEN: "0.0.0.0:8443",
    REEVE_TLS_SELF_MADE: "true",
    REEVE_PUBLIC_URL: "https://reeve.example.com",
    REEVE_ROLES: "api,work",
    REEVE_TRUSTED_PROXIES: "10.0.0.5, 2001:db8::7",
    REEVE_DRAIN_SECONDS: "15",
    REEVE_KEEP_RUNS_DAYS: "7.5",
    REEVE_NOTIFY_NETWORKS: "10.20.0.0/16",
  };
  const filed = readConfig([], {}).config;
  expect(filed).toMatchObject({
    tlsSelfMade: true,
    roles: ["api", "work"],
    drainSeconds: 15,
    keepRunsDays: 7.5,
  });
  // An address of IPv6 in the form in which a socket tells it.
  expect(filed.trustedProxies).toEqual(["10.0.0.5", "2001:db8::7"]);
  writeFileSync("reeve.yaml", "");
  expect(readConfig([], asVariables).config).toEqual(filed);
});

describe("plain HTTP beyond loopback", () => {
  const said = (env: Record<string, string>) => () => readConfig([], env);

  test.each(["0.0.0.0:8080", "[::]:8080", "10.0.0.4:8080", "reeve.example.com:80", "127.example.com:80"])(
    "%s stops the start, and the refusal names the ways out",
    (listen) =>
      expect(said({ REEVE_LISTEN: listen })).toThrow(
        /^REEVE_LISTEN: plain HTTP .*REEVE_TLS_CERT.*REEVE_TLS_SELF_MADE.*REEVE_TRUSTED_PROXIES/,
      ),
  );

  test.each(["127.0.0.1:1", "127.8.8.8:1", "[::1]:1", "localhost:1"])("%s is loopback", (listen) =>
    expect(readConfig([], { REEVE_LISTEN: listen }).config.listen).toBe(listen),
  );

  test.each([
    "banana",
    "10.0.0.0/8",
    "proxy.internal",
    "10.0.0.5:443",
    "10.0.0.5 10.0.0.6",
    "10.0.0.5,banana",
  ])("a proxy is declared by its IP address, not as %s", (text) => {
    for (const name of ["REEVE_TRUSTED_PROXIES", "REEVE_AGENT_PROXIES"])
      expect(said({ REEVE_LISTEN: "0.0.0.0:8080", [name]: text })).toThrow(
        `${name}: write IP addresses as 10.0.0.5, separated by commas`,
      );
  });

  test("a declared proxy, or a certificate, is a way out; an empty list is none", () => {
    const open = { REEVE_LISTEN: "0.0.0.0:8080" };
    expect(readConfig([], { ...open, REEVE_TRUSTED_PROXIES: "10.0.0.5" }).config.trustedProxies).toEqual([
      "10.0.0.5",
    ]);
    expect(readConfig(["--tls-self-made"], open).config.tlsSelfMade).toBe(true);
    expect(said({ ...open, REEVE_TRUSTED_PROXIES: " , " })).toThrow("REEVE_LISTEN: plain HTTP");
  });
});
