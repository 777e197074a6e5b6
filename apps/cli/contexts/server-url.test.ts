import { expect, test } from "vitest";
import { isOpenToReaders, readServerUrl, readSetupLink } from "./server-url.ts";

test("a bare host means HTTPS, a loopback address plain HTTP", () => {
  expect(readServerUrl("reeve.example.com")).toBe("https://reeve.example.com");
  expect(readServerUrl("reeve.example.com:8443/base/")).toBe("https://reeve.example.com:8443/base");
  expect(readServerUrl("localhost:8080")).toBe("http://localhost:8080");
  expect(readServerUrl("127.0.0.1")).toBe("http://127.0.0.1");
  expect(() => readServerUrl("ftp://x")).toThrow();
  expect(() => readServerUrl("not a host")).toThrow();
});

test("a setup link gives the server and the token", () => {
  expect(readSetupLink("http://127.0.0.1:8080/setup#abc-1")).toEqual({
    url: "http://127.0.0.1:8080",
    token: "abc-1",
  });
  expect(readSetupLink("https://x.example/reeve/setup#t")).toEqual({
    url: "https://x.example/reeve",
    token: "t",
  });
  for (const bad of ["http://127.0.0.1:8080/setup", "http://127.0.0.1:8080/#t", "t"])
    expect(() => readSetupLink(bad)).toThrow(/setup link/);
});

test("plain HTTP beyond this machine can be read on the way", () => {
  expect(isOpenToReaders("http://10.0.0.1:8080")).toBe(true);
  expect(isOpenToReaders("http://127.0.0.1:8080")).toBe(false);
  expect(isOpenToReaders("https://x.example")).toBe(false);
});
