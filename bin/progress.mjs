// Shows how far an installation has come. Plain JavaScript without packages, as all of this folder.
import { existsSync } from "node:fs";
import path from "node:path";

/** How often something is shown, in milliseconds: a terminal's line is written anew, a log gets a further one. */
const ON_TERMINAL = 500;
const IN_LOG = 5000;

/**
 * Tells now and then how many of the packages are there: npm itself is silent for a minute.
 * @param {string} root the project's directory
 * @param {string[]} packages their folders
 * @returns {() => void} ends it
 */
export function showProgress(root, packages) {
  const began = Date.now();
  const isTerminal = process.stderr.isTTY === true;
  const show = () => {
    const done = packages.filter((name) => existsSync(path.join(root, name, "package.json"))).length;
    const line = `  ${done} of ${packages.length} packages after ${Math.round((Date.now() - began) / 1000)} s`;
    process.stderr.write(isTerminal ? `\r\u001b[2K${line}` : `${line}\n`);
  };
  const timer = setInterval(show, isTerminal ? ON_TERMINAL : IN_LOG);
  return () => {
    clearInterval(timer);
    if (isTerminal) process.stderr.write("\r\u001b[2K");
  };
}
