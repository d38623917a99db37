import { randomBytes, randomUUID } from "node:crypto";
import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { buffer } from "node:stream/consumers";
import { expect } from "chai";
import { readConfig } from "../../../core/config/config.ts";
import type { ObjectStore } from "../../../core/files/storage.ts";
import { diskStore } from "../../../core/providers/storage/disk.ts";
import { s3Store } from "../../../core/providers/storage/s3.ts";
import { configuredStores } from "../../../core/providers/storage/stores.ts";
import { S3Listing } from "../../simulators/s3-listing.ts";
import { startBucket, type TestBucket } from "../../support/s3.ts";

const MIB = 1_048_576;

describe("a store of files", () => {
  let folder: string;
  let bucket: TestBucket;
  const stores = new Map<string, ObjectStore>();
  before(async () => {
    folder = mkdtempSync(path.join(tmpdir(), "kantoor-store-"));
    bucket = await startBucket();
    stores.set("on disk", diskStore(path.join(folder, "store")));
    stores.set("in a bucket", s3Store("files", readConfig(bucket.environment)));
  });
  after(async () => {
    await bucket.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  for (const place of ["on disk", "in a bucket"])
    describe(place, () => {
      const store = () => stores.get(place) as ObjectStore;
      const put = async (organisation: string, bytes: Buffer | string, id: string = randomUUID()): Promise<string> => {
        const file = path.join(folder, randomUUID());
        writeFileSync(file, bytes);
        await store().put(organisation, id, file);
        expect(readdirSync(folder)).to.not.include(path.basename(file));
        return id;
      };
      const read = async (organisation: string, id: string): Promise<Buffer | null> => {
        const found = await store().open(organisation, id);
        if (!found) return null;
        const bytes = await buffer(found.bytes);
        expect(bytes.length).to.equal(found.size);
        return bytes;
      };
      const listed = async (organisation: string) => {
        const all: { id: string; changedAt: Date }[] = [];
        for await (const page of store().list(organisation)) {
          expect(page.length).to.be.at.most(1000);
          all.push(...page);
        }
        return all;
      };

      for (const size of [0, 1, 65_537, 6 * MIB])
        it(`gives ${size} bytes back as they were, and takes their file over`, async () => {
          const [organisation, bytes] = [randomUUID(), randomBytes(size)];
          const id = await put(organisation, bytes);
          expect((await read(organisation, id))?.equals(bytes)).to.equal(true);
        });

      it("knows nothing under another organisation, nor of unknown content", async () => {
        const organisation = randomUUID();
        const id = await put(organisation, "x");
        expect(await store().open(randomUUID(), id)).to.equal(null);
        expect(await store().open(organisation, randomUUID())).to.equal(null);
        expect(await listed(randomUUID())).to.deep.equal([]);
      });

      it("overwrites existing content", async () => {
        const organisation = randomUUID();
        const id = await put(organisation, "one");
        await put(organisation, "two", id);
        expect((await read(organisation, id))?.toString()).to.equal("two");
      });

      it("removes, also twice", async () => {
        const organisation = randomUUID();
        const id = await put(organisation, "x");
        await store().remove(organisation, id);
        await store().remove(organisation, id);
        expect(await read(organisation, id)).to.equal(null);
      });

      it("lists everything of one organisation with its time of arrival", async () => {
        const organisation = randomUUID();
        const ids = [await put(organisation, "a"), await put(organisation, "b"), await put(organisation, "c")];
        await put(randomUUID(), "d");
        const found = await listed(organisation);
        expect(found.map(({ id }) => id).toSorted()).to.deep.equal(ids.toSorted());
        for (const { changedAt } of found) expect(Math.abs(Date.now() - changedAt.valueOf())).to.be.lessThan(60_000);
      });

      it("can be read on when it is removed meanwhile, or not at all", async () => {
        const organisation = randomUUID();
        const bytes = randomBytes(2 * MIB);
        const id = await put(organisation, bytes);
        const found = await store().open(organisation, id);
        await store().remove(organisation, id);
        const got = await buffer(found?.bytes as NodeJS.ReadableStream).catch(() => null);
        expect(got === null || got.equals(bytes)).to.equal(true);
      });
    });

  it("on disk is for its owner's eyes only, and leaves no half file under a name", async () => {
    const organisation = randomUUID();
    const store = stores.get("on disk") as ObjectStore;
    const id = randomUUID();
    await store.put(organisation, id, path.join(folder, "missing")).then(
      () => expect.fail("a missing file was taken"),
      (error: NodeJS.ErrnoException) => expect(error.code).to.equal("ENOENT"),
    );
    expect(await store.open(organisation, id)).to.equal(null);
    expect(statSync(path.join(folder, "store", organisation)).mode & 0o077).to.equal(0);
  });

  it("in a bucket lists more than a thousand files, page by page", async () => {
    const [organisation, other] = [randomUUID(), randomUUID()];
    const ids = Array.from({ length: 2300 }, () => randomUUID());
    const listing = new S3Listing([...ids.map((id) => `${organisation}/${id}`), `${other}/${randomUUID()}`]);
    await listing.start();
    const pages: string[][] = [];
    const store = s3Store("files", readConfig({ ...bucket.environment, SERVICE_STORAGE_API_URL: listing.origin }));
    for await (const page of store.list(organisation)) pages.push(page.map(({ id }) => id));
    await listing.stop();
    expect(listing.complaints).to.deep.equal([]);
    expect(pages.map(({ length }) => length)).to.deep.equal([1000, 1000, 300]);
    expect(pages.flat().toSorted()).to.deep.equal(ids.toSorted());
  });

  it("in an unreachable bucket is 503, without the reason", async () => {
    for (const environment of [
      { ...bucket.environment, SERVICE_FILES_BUCKET: "no-such-bucket" },
      { ...bucket.environment, SERVICE_FILES_KEY_ID: "nobody" },
      { ...bucket.environment, SERVICE_STORAGE_API_URL: "http://127.0.0.1:9" },
    ]) {
      const config = readConfig(environment);
      const file = path.join(folder, randomUUID());
      writeFileSync(file, "x");
      const refused = await s3Store(config.filesBucket as string, config)
        .put(randomUUID(), randomUUID(), file)
        .then(
          () => null,
          (error: { code: number; type: string; message: string; data: object }) => error,
        );
      expect(refused, JSON.stringify(environment)).to.include({ code: 503, type: "unavailable" });
      expect(JSON.stringify(refused?.data)).to.not.match(/bucket|secret|127/i);
    }
  });
});

describe("the stores a configuration names", () => {
  it("are the data folder, and a bucket before it when there is one", () => {
    const alone = configuredStores(readConfig({ SERVICE_DATA_DIR: "/srv/kantoor" }));
    expect([alone.writing.backend, alone.all.length, alone.spoolFolder]).to.deep.equal([
      "disk",
      1,
      "/srv/kantoor/files/incoming",
    ]);
    const both = configuredStores(readConfig({ SERVICE_FILES_BUCKET: "files" }));
    expect([both.writing.backend, both.all.map(({ backend }) => backend)]).to.deep.equal(["s3", ["s3", "disk"]]);
  });

  it("need key and secret together", () => {
    const half = () => readConfig({ SERVICE_FILES_KEY_ID: "key" });
    expect(half).to.throw("SERVICE_FILES_KEY_ID and SERVICE_FILES_KEY_SECRET are needed together.");
  });
});
