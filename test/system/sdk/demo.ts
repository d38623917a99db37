import { execFile } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { promisify } from "node:util";
import { cleanEnvironment, launchService } from "../../support/process.ts";

export const ROOT = path.join(import.meta.dirname, "../../..");
export const run = promisify(execFile);

/** A running service with the demo, for the packages of clients. */
export interface Demo {
  url: string;
  /** Key of the demo's owner. */
  key: string;
  /** The demo's owner. */
  owner: { email: string; password: string };
  stop(): Promise<unknown>;
}

/** Starts the demo, and packs clients from its document, each into a folder named after it. */
export async function demoWithClient(
  folder: string,
  clients: string | string[],
  environment: Record<string, string> = {},
): Promise<Demo> {
  const settings = {
    SERVICE_DATA_DIR: path.join(folder, "data"),
    SERVICE_HTTP_PORT: "0",
    SERVICE_HTTP_ADDRESS: "127.0.0.1",
    SERVICE_OUTBOUND_ALLOWED_RANGES: "127.0.0.1",
  };
  const service = await launchService(settings, [], { ready: /Kantoor is ready on http:\/\/localhost:(\d+)[\s\S]*Try: / });
  const url = `http://localhost:${service.port}`;
  const answer = await fetch(`${url}/api/openapi.json`);
  const document = path.join(folder, "openapi.json");
  writeFileSync(document, await answer.text());
  const words = [path.join(ROOT, "sdk/generate/run.ts"), ...[clients].flat(), "--document", document, "--out", folder];
  await run(process.execPath, words, { env: { ...cleanEnvironment(), ...environment } });
  const { api_key: key, admin: owner } = JSON.parse(readFileSync(path.join(folder, "data/first-run.json"), "utf8"));
  return { url, key, owner, stop: () => service.stop() };
}

/** The examples of a README in a language, as one program that calls the demo. */
export function exampleOf(readme: string, language: string, { url, key }: Demo): string {
  const blocks = [...readme.matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\``, "gm"))].map(([, code]) => code);
  return blocks.join("\n").replaceAll("https://agency.example", url).replaceAll("kt_…", key);
}

/** Rows that a walk brings in; `SDK_ROWS=10000` before a release. */
export const ROWS = process.env["SDK_ROWS"] ?? "1000";
/** What a walk prints, a line for each of its parts. */
export const PARTS = ["README", "file", "refusals", "once", `${ROWS} rows followed`, "webhook"];

/** What the TypeScript client brings with it; packed from here, so that a test needs no registry. */
const BROUGHT = ["standardwebhooks", "@stablelib/base64", "fast-sha256"];

/** Installs packed clients from a folder of `demoWithClient` into an empty folder, without a registry. Returns that folder. */
export async function installed(folder: string, clients: string[]): Promise<string> {
  const npm = (words: string[], cwd: string) => run("npm", words, { cwd, env: cleanEnvironment() });
  const packed = clients.map((client) => {
    const made = path.join(folder, client);
    return path.join(made, readdirSync(made).find((file) => file.endsWith(".tgz")) as string);
  });
  const tarballs = path.join(folder, "tarballs");
  mkdirSync(tarballs);
  for (const name of BROUGHT)
    await npm(["pack", "--ignore-scripts", "--pack-destination", tarballs, path.join(ROOT, "node_modules", name)], folder);
  const home = path.join(folder, "home");
  mkdirSync(home);
  writeFileSync(path.join(home, "package.json"), '{ "type": "module", "private": true }');
  const files = readdirSync(tarballs).map((file) => path.join(tarballs, file));
  await npm(["install", "--offline", "--ignore-scripts", "--no-audit", "--no-fund", ...packed, ...files], home);
  return home;
}
