import { createReadStream } from "node:fs";
import { rm, stat } from "node:fs/promises";
import type { Readable } from "node:stream";
import type { S3Client } from "@aws-sdk/client-s3";
import type { Config } from "../../config/config.ts";
import { refusal } from "../../errors/errors.ts";
import type { ObjectStore } from "../../files/storage.ts";

type Sdk = typeof import("@aws-sdk/client-s3");

/** Longest wait for a connection, and for an answer to begin, in milliseconds. */
const CONNECT = 3_000;
const ANSWER = 20_000;

const SILENT = { debug() {}, info() {}, warn() {}, error() {} };

const isMissing = (error: unknown): boolean => ["NoSuchKey", "NotFound"].includes((error as Error).name);

/** An unreachable store answers 503, and callers retry later; the cause goes only to the log. */
const unavailable = (cause: unknown): Error => Object.assign(refusal("unavailable"), { cause });

/**
 * Stores files in a bucket of an S3-compatible service, under `<organisation>/<id>`. The SDK loads with the first file, because it is most
 * of this module's size.
 */
export function s3Store(
  bucket: string,
  {
    storageApiUrl,
    filesRegion,
    filesKeyId,
    filesKeySecret,
  }: Pick<Config, "storageApiUrl" | "filesRegion" | "filesKeyId" | "filesKeySecret">,
): ObjectStore {
  let loading: Promise<{ sdk: Sdk; client: S3Client }> | undefined;
  const load = async () => {
    const sdk = await import("@aws-sdk/client-s3");
    const client = new sdk.S3Client({
      region: filesRegion,
      ...(storageApiUrl !== undefined && { endpoint: storageApiUrl, forcePathStyle: true }),
      ...(filesKeyId !== undefined && { credentials: { accessKeyId: filesKeyId, secretAccessKey: filesKeySecret ?? "" } }),
      maxAttempts: 3,
      // The thrown error reports failures; the SDK would print them as well.
      logger: SILENT,
      requestHandler: { connectionTimeout: CONNECT, requestTimeout: ANSWER },
      requestChecksumCalculation: "WHEN_REQUIRED",
      responseChecksumValidation: "WHEN_REQUIRED",
    });
    return { sdk, client };
  };
  const place = (organisationId: string, id: string) => ({ Bucket: bucket, Key: `${organisationId}/${id}` });

  /** Runs an SDK call; a missing object gives null, any other failure 503. */
  async function ask<T>(call: (sdk: Sdk, client: S3Client) => Promise<T>): Promise<T | null> {
    try {
      loading ??= load();
      const { sdk, client } = await loading;
      return await call(sdk, client);
    } catch (error) {
      if (isMissing(error)) return null;
      throw unavailable(error);
    }
  }

  return {
    backend: "s3",

    async put(organisationId, id, file) {
      const { size } = await stat(file);
      // The SDK retries failures itself, except when it cannot read the body again: then this retries once.
      const send = () =>
        ask((sdk, client) =>
          client.send(
            new sdk.PutObjectCommand({ ...place(organisationId, id), Body: createReadStream(file), ContentLength: size }),
          ),
        );
      await send().catch(send);
      await rm(file, { force: true });
    },

    async open(organisationId, id) {
      const found = await ask((sdk, client) => client.send(new sdk.GetObjectCommand(place(organisationId, id))));
      return found?.Body ? { bytes: found.Body as Readable, size: found.ContentLength ?? 0 } : null;
    },

    async remove(organisationId, id) {
      await ask((sdk, client) => client.send(new sdk.DeleteObjectCommand(place(organisationId, id))));
    },

    async *list(organisationId) {
      let ContinuationToken: string | undefined;
      do {
        const page = await ask((sdk, client) =>
          client.send(
            new sdk.ListObjectsV2Command({
              Bucket: bucket,
              Prefix: `${organisationId}/`,
              ...(ContinuationToken && { ContinuationToken }),
            }),
          ),
        );
        yield (page?.Contents ?? []).map(({ Key = "", LastModified = new Date() }) => ({
          id: Key.slice(organisationId.length + 1),
          changedAt: LastModified,
        }));
        ContinuationToken = page?.NextContinuationToken;
      } while (ContinuationToken !== undefined);
    },
  };
}
