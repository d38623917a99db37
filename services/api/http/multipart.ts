import { rm } from "node:fs/promises";
import type { IncomingMessage } from "node:http";
import type { Readable } from "node:stream";
import { Busboy, type BusboyInstance } from "@fastify/busboy";
import { cleanName } from "../../../core/files/file-name.ts";
import { isClaimed } from "../../../core/files/file-types.ts";
import { typeOf } from "../../../core/files/sniffing.ts";
import { type Spooled, spool, stageUpload } from "../../../core/files/staged-uploads.ts";
import type { RefusedUpload, Upload } from "../../../core/files/upload.ts";
import { isStorable, type ReadBody, UNREADABLE, WRONG_TYPE } from "./body.ts";
import { receive } from "./receiving.ts";

/** What a multipart body must contain. */
interface FileRules {
  /** Name of the file's part. */
  field: string;
  types: readonly string[];
  /** Largest file in bytes. */
  limit: number;
}

/** A file as received: the sender's claims and our measurements. */
interface Received {
  name: string;
  declared: string;
  spooled: Spooled;
}

interface Parts {
  fields: Map<string, string>;
  file: Received | null;
  isTooLarge: boolean;
  isReadable: boolean;
}

/** Limits on parts, form fields and their sizes: more than any endpoint needs, small enough to buffer. */
const MOST = { files: 10, fields: 50, parts: 60, fieldSize: 65_536, headerPairs: 50, headerSize: 16_384 };
/** Bytes allowed around a file of the largest size; also how much excess we still read so that the sender receives the refusal. */
const AROUND = 1_048_576;

function parserOf(request: IncomingMessage, limit: number): BusboyInstance | null {
  try {
    const headers = { ...request.headers, "content-type": request.headers["content-type"] ?? "" };
    return new Busboy({ headers, limits: { ...MOST, fileSize: limit } });
  } catch {
    return null;
  }
}

/** Reads the parts of a body, and spools the file to local disk as it arrives. */
function partsOf(request: IncomingMessage, parser: BusboyInstance, { field, limit }: FileRules): Promise<Parts> {
  const parts: Parts = { fields: new Map(), file: null, isTooLarge: false, isReadable: true };
  const spooling: Promise<void>[] = [];
  const streams = new Set<Readable>();
  let found = false;
  let total = 0;

  const ended = (isReadable: boolean): Promise<Parts> => {
    request.unpipe(parser);
    parts.isReadable &&= isReadable;
    if (!isReadable) for (const stream of streams) stream.destroy(new Error("the body ended early"));
    return Promise.all(spooling).then(() => parts);
  };
  const giveUp = () =>
    void ended(false).then(
      ({ file }) => file && removeSpooled(file),
      () => {},
    );

  return receive(
    request,
    (done) => {
      const end = (isReadable: boolean) => done(ended(isReadable));
      parser.on("file", (name, stream, fileName, _encoding, declared) => {
        stream.on("error", () => {});
        if (name !== field || found) return void stream.resume();
        found = true;
        streams.add(stream);
        stream.on("limit", () => {
          parts.isTooLarge = true;
        });
        const received = spool(stream).then(
          (spooled) => {
            parts.file = { name: cleanName(fileName ?? ""), declared, spooled };
          },
          (error: NodeJS.ErrnoException) => {
            // Only disk errors carry a syscall; any other early end is the sender's.
            if (error.syscall !== undefined) throw error;
            parts.isReadable = false;
          },
        );
        spooling.push(received);
        received.catch(() => end(false));
      });
      parser.on("field", (name, value, nameCut, valueCut) => {
        parts.isReadable &&= !nameCut && !valueCut && isStorable(name ?? "") && isStorable(value);
        if (name !== undefined) parts.fields.set(name, value);
      });
      for (const limitHit of ["partsLimit", "filesLimit", "fieldsLimit"] as const)
        parser.on(limitHit, () => {
          parts.isReadable = false;
        });
      parser.on("finish", () => end(true));
      parser.on("error", () => end(false));
      request.on("data", (chunk: Buffer) => {
        total += chunk.length;
        if (total > 2 * limit + AROUND) end(false);
      });
      request.pipe(parser);
    },
    giveUp,
  );
}

const removeSpooled = ({ spooled }: Received): Promise<void> => rm(spooled.file, { force: true });

/** The file as the action receives it: staged in the store, or with the reason for its refusal. */
async function takeIn(
  { name, declared, spooled }: Received,
  types: readonly string[],
  organisationId: string,
): Promise<Upload | RefusedUpload> {
  const type = await typeOf(spooled.file, declared, name);
  if (type !== null && types.includes(type)) return { ...(await stageUpload(organisationId, spooled)), name, type };
  await rm(spooled.file, { force: true });
  return { problem: "errors.upload_type", isClaimed: isClaimed(declared, name, types) };
}

/**
 * Reads a multipart body (RFC 7578) with one file. Measures the file, detects its type and stages it before the action runs, so only a
 * description travels between nodes. Returns problems instead of throwing them, as for any body.
 */
export async function readUpload(request: IncomingMessage, wanted: FileRules, organisationId: string): Promise<ReadBody> {
  const given = request.headers["content-type"];
  if (given === undefined && Number(request.headers["content-length"] ?? 0) === 0 && !request.headers["transfer-encoding"])
    return { body: {} };
  if (!/^\s*multipart\/form-data\s*(;|$)/i.test(given ?? "")) return WRONG_TYPE;
  const parser = parserOf(request, wanted.limit);
  if (!parser) return UNREADABLE;
  const { fields, file, isTooLarge, isReadable } = await partsOf(request, parser, wanted);
  const texts = Object.fromEntries(fields);
  delete texts[wanted.field];
  if (isTooLarge || !isReadable) {
    if (file) await removeSpooled(file);
    return isTooLarge ? { body: { ...texts, [wanted.field]: { problem: "errors.upload_too_large" } } } : UNREADABLE;
  }
  if (!file) return { body: texts };
  const { name, declared, spooled } = file;
  const essence = [texts, name, declared, spooled.sha256];
  return { body: { ...texts, [wanted.field]: await takeIn(file, wanted.types, organisationId) }, essence };
}
