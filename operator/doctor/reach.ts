import { randomUUID } from "node:crypto";
import { lookup } from "node:dns/promises";
import { access, constants, unlink, writeFile } from "node:fs/promises";
import { createConnection } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import type { Config } from "../../core/config/config.ts";
import { freeBytes } from "../../core/files/free-bytes.ts";
import { USUAL_PORT } from "../../core/mail/mail-transport.ts";
import { configuredStores } from "../../core/providers/storage/stores.ts";
import { browserMissing } from "../../mixins/documents/printing/browser-program.ts";
import { hostsOf, transporterOf } from "../transporter.ts";
import { type Finding, fault, ok, reasonOf, warning } from "./finding.ts";

/** How long the other side may take, in milliseconds. */
const PATIENCE = 5000;
/** Bytes below which a volume is almost full: a node that cannot write its files refuses uploads. */
const ROOM = 2 ** 30;

/** Connects to a port and closes the connection. */
function reach(host: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = createConnection({ host, port, timeout: PATIENCE }, () => {
      socket.destroy();
      resolve();
    });
    socket.once("timeout", () => socket.destroy(new Error(`no answer within ${PATIENCE / 1000} seconds`)));
    socket.once("error", reject);
  });
}

/** Tries the folder of the node: that it can be written, and has room. */
export async function checkDisk({ dataDir }: Config): Promise<Finding> {
  try {
    await access(dataDir, constants.R_OK | constants.W_OK | constants.X_OK);
    const free = await freeBytes(dataDir);
    if (free === null) return ok("disk", `${dataDir} can be written; its file system does not report free space.`);
    const found = `${dataDir} can be written and has ${(free / 2 ** 30).toFixed(1)} GiB free.`;
    return free >= ROOM ? ok("disk", found) : warning("disk", found, "Make room: uploads and reports need it.");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT")
      return ok("disk", `${dataDir} does not exist yet: the first start makes it.`);
    return fault(
      "disk",
      `${dataDir} cannot be used: ${reasonOf(error)}.`,
      "Give it to the user of the service, or set SERVICE_DATA_DIR.",
    );
  }
}

/** Signs in to NATS with the credentials of this node; null without a transporter. */
export async function checkTransport(config: Config): Promise<Finding | null> {
  if (!config.transporter) return null;
  const hosts = hostsOf(config.transporter);
  try {
    // Throws if the node cannot read its credentials.
    const options = transporterOf(config)?.options;
    const { connect } = await import("nats");
    const connection = await connect({ ...options, timeout: PATIENCE, reconnect: false });
    await connection.close();
    return ok("transport", `NATS at ${hosts} takes the credentials of this node.`);
  } catch (error) {
    return fault("transport", `NATS at ${hosts} cannot be used: ${reasonOf(error)}.`, "Correct TRANSPORTER or its credentials.");
  }
}

/** Reaches the instance's relay or mail provider; null without one. The credentials show with a test mail. */
export async function checkMail(config: Config): Promise<Finding | null> {
  const { mailProvider, mailHost, mailPort, mailSecurity } = config;
  if (!mailProvider) return null;
  const addresses = {
    brevo: config.mailBrevoApiUrl,
    sendgrid: config.mailSendgridApiUrl,
    smtp2go: config.mailSmtp2goApiUrl,
  };
  const api = mailProvider === "smtp" ? null : new URL(addresses[mailProvider]);
  const host = api?.hostname ?? (mailHost as string);
  const port = api ? Number(api.port) || (api.protocol === "https:" ? 443 : 80) : (mailPort ?? USUAL_PORT[mailSecurity]);
  try {
    await reach(host, port);
    return ok("mail", `${host}:${port} answers; send a test mail to try the credentials.`);
  } catch (error) {
    return fault(
      "mail",
      `${host}:${port} cannot be reached: ${reasonOf(error)}.`,
      "Correct SERVICE_MAIL_…, or open the way there.",
    );
  }
}

/** Stores, reads and removes a small file in the bucket; null without one. */
export async function checkBucket(config: Config): Promise<Finding | null> {
  const { filesBucket } = config;
  if (filesBucket === undefined) return null;
  const store = configuredStores(config).writing;
  const [organisation, id] = [randomUUID(), randomUUID()];
  const file = path.join(tmpdir(), `kantoor-doctor-${id}`);
  try {
    await writeFile(file, "kantoor doctor\n");
    await store.put(organisation, id, file);
    const stored = await store.open(organisation, id);
    stored?.bytes.destroy();
    await store.remove(organisation, id);
    if (!stored)
      return fault("files", `Bucket ${filesBucket} does not return what was stored.`, "Check its rules of replication.");
    return ok("files", `Bucket ${filesBucket} stores, returns and removes a file.`);
  } catch (error) {
    return fault(
      "files",
      `Bucket ${filesBucket} cannot be used: ${reasonOf(error)}.`,
      "Correct SERVICE_FILES_… and the key's rights.",
    );
  } finally {
    await unlink(file).catch(() => {});
  }
}

/** Looks up the base domain and a name below it, where every organisation answers; null for localhost. */
export async function checkNames({ baseDomain }: Config): Promise<Finding | null> {
  if (baseDomain === "localhost" || baseDomain.endsWith(".localhost")) return null;
  const name = `doctor-${randomUUID().slice(0, 8)}.${baseDomain}`;
  try {
    const { address } = await lookup(name);
    return ok("names", `*.${baseDomain} resolves to ${address}.`);
  } catch (error) {
    return fault(
      "names",
      `${name} does not resolve (${(error as NodeJS.ErrnoException).code}).`,
      `Add a record for *.${baseDomain}: each organisation answers at a name of its own.`,
    );
  }
}

/** Looks for the browser that makes PDF files. */
export async function checkBrowser({ chromiumPath, dataDir }: Config): Promise<Finding> {
  const sentence = await browserMissing({ configured: chromiumPath, folder: dataDir });
  if (sentence === null) return ok("browser", "There is a Chromium that makes PDF files.");
  return warning("browser", sentence, "Install Chromium, or set SERVICE_CHROMIUM_PATH.");
}
