import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import S3rver from "s3rver";

/** A separate S3-compatible server with one empty bucket. */
export interface TestBucket {
  /** Settings that point the service to it. */
  environment: Record<string, string>;
  /** Can be called twice. */
  stop(): Promise<void>;
}

export async function startBucket(bucket = "files"): Promise<TestBucket> {
  const directory = await mkdtemp(path.join(tmpdir(), "kantoor-s3-"));
  const server = new S3rver({ port: 0, address: "127.0.0.1", silent: true, directory, configureBuckets: [{ name: bucket }] });
  const { port } = await server.run();
  return {
    environment: {
      SERVICE_FILES_BUCKET: bucket,
      SERVICE_FILES_REGION: "us-east-1",
      SERVICE_FILES_KEY_ID: "S3RVER",
      SERVICE_FILES_KEY_SECRET: "S3RVER",
      SERVICE_STORAGE_API_URL: `http://127.0.0.1:${port}`,
    },
    async stop() {
      await server.close().catch((error: NodeJS.ErrnoException) => {
        if (error.code !== "ERR_SERVER_NOT_RUNNING") throw error;
      });
      await rm(directory, { recursive: true, force: true });
    },
  };
}
