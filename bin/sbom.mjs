// Writes the software bill of materials of a running service, as CycloneDX: each installed package but those of developers, with version,
// licence and digest. Plain JavaScript without imports of packages.
//   node bin/sbom.mjs [FILE]    by default sbom.json in the folder of the service
import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { Failure } from "./dependencies.mjs";

// By the lock file, of everything in it: of what is installed npm makes a document only while the packages of developers are there, too, and its
// `--omit=dev` leaves out packages that both need.
const FORMAT = ["sbom", "--package-lock-only", "--sbom-format", "cyclonedx", "--sbom-type", "application"];

/** The document that npm makes of the lock file. @throws {Failure} if npm is missing */
function documentOf(root) {
  // Inside of a script npm names itself; its own program may be no command of this machine.
  const own = process.env.npm_execpath;
  const [command, words] = own ? [process.execPath, [own, ...FORMAT]] : ["npm", FORMAT];
  try {
    return JSON.parse(execFileSync(command, words, { cwd: root, encoding: "utf8", maxBuffer: 64 << 20, stdio: "pipe" }));
  } catch (error) {
    const lines = String(error.stderr ?? error.message).split("\n");
    throw new Failure(`npm cannot list the packages: ${lines.filter((line) => !/complete log|^\s*$/i.test(line)).join(" ")}`);
  }
}

const readJson = (...parts) => JSON.parse(readFileSync(path.join(...parts), "utf8"));

/** The folders of the installed packages, by name and version as npm's references have them. */
function installedIn(root) {
  const { packages } = readJson(root, "package-lock.json");
  const there = Object.entries(packages).filter(
    ([place, { dev }]) => place !== "" && !dev && existsSync(path.join(root, place, "package.json")),
  );
  return new Map(
    there.map(([place, { name, version }]) => [
      `${name ?? place.split("node_modules/").at(-1)}@${version}`,
      path.join(root, place),
    ]),
  );
}

/** The licence that a package names in a way that npm does not read: `licence`, a list of objects, or a sentence of its readme. */
function licenceIn(folder) {
  const { license, licence, licenses } = readJson(folder, "package.json");
  const named = license ?? licence ?? licenses?.[0];
  if (named) return typeof named === "string" ? named : named.type;
  const readme = readdirSync(folder).find((file) => /^readme/i.test(file));
  return readme && /^\W*(?:the )?MIT licen[cs]e\W*$/im.test(readFileSync(path.join(folder, readme), "utf8")) ? "MIT" : undefined;
}

/**
 * The bill of materials of a folder.
 * @param {string} root the folder of the service, with its packages
 * @returns {object} a CycloneDX document
 * @throws {Failure} if nothing is installed
 */
export function billOf(root) {
  const document = documentOf(root);
  const installed = installedIn(root);
  if (installed.size === 0) throw new Failure("Nothing is installed: run npm ci --omit=dev first.");
  const { component } = document.metadata;
  // npm names the folder, which differs from clone to clone.
  component.name = readJson(root, "package.json").name;
  const isThere = (reference) => reference === component["bom-ref"] || installed.has(reference);
  document.components = document.components.filter((one) => isThere(one["bom-ref"]));
  document.dependencies = document.dependencies
    .filter(({ ref }) => isThere(ref))
    .map(({ ref, dependsOn }) => ({ ref, dependsOn: dependsOn.filter(isThere) }));
  for (const one of document.components) {
    const name = one.licenses?.length > 0 ? undefined : licenceIn(installed.get(one["bom-ref"]));
    if (name) one.licenses = [{ license: { name } }];
  }
  return document;
}

if (process.argv[1] === fileURLToPath(import.meta.url))
  try {
    const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));
    const file = path.resolve(process.argv[2] ?? path.join(root, "sbom.json"));
    const document = billOf(root);
    writeFileSync(file, `${JSON.stringify(document, null, 2)}\n`);
    process.stdout.write(`${file} lists ${document.components.length} packages.\n`);
  } catch (error) {
    process.stderr.write(`${error instanceof Failure ? error.message : error.stack}\n`);
    process.exitCode = 1;
  }
