import { execFile } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
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
  stop(): Promise<unknown>;
}

/** Starts the demo, and packs a client from its document into a folder named after the language. */
export async function demoWithClient(folder: string, language: string, environment: Record<string, string> = {}): Promise<Demo> {
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
  const words = [path.join(ROOT, "sdk/generate/run.ts"), language, "--document", document, "--out", folder];
  await run(process.execPath, words, { env: { ...cleanEnvironment(), ...environment } });
  const { api_key: key } = JSON.parse(readFileSync(path.join(folder, "data/first-run.json"), "utf8"));
  return { url, key, stop: () => service.stop() };
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
