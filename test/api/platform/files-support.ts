import { globSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import { runtime } from "../../../core/config/runtime.ts";
import type { Answer } from "../../support/http.ts";
import { fileBody } from "../../support/multipart.ts";
import type { Caller } from "../../support/service.ts";

/** Attaches a file. @param query `entity_type=company&entity_id=…` */
export const attach = (
  caller: Caller,
  query: string,
  content: string | Buffer = "some text",
  type = "text/plain",
  name = "notes.txt",
  headers: Record<string, string> = {},
): Promise<Answer> => {
  const sent = fileBody(content, type, name);
  return caller.post(`/files?${query}`, sent.body, { headers: { ...sent.headers, ...headers } });
};

/** Sets the logo of a company. */
export const setLogo = (
  caller: Caller,
  companyId: string,
  content: Buffer | string,
  type = "image/png",
  name = "logo.png",
  headers: Record<string, string> = {},
): Promise<Answer> => {
  const sent = fileBody(content, type, name);
  return caller.post(`/companies/${companyId}/logo`, sent.body, { headers: { ...sent.headers, ...headers } });
};

/** Names of the files in the store on disk, and of those being uploaded. */
export const storedFiles = (): string[] =>
  globSync("files/**/*", { cwd: runtime().config.dataDir, withFileTypes: true })
    .filter((one) => one.isFile())
    .map(({ name }) => name);

/** Waits until the store has as many files; files removed after an answer may still be there when it arrives. */
export async function storeHolds(count: number): Promise<void> {
  for (let look = 0; storedFiles().length !== count; look++) {
    if (look === 3000) throw new Error(`the store holds ${storedFiles().length} files instead of ${count}`);
    await delay(10);
  }
}
