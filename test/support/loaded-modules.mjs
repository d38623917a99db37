// Loaded with `--import`: writes the address of every module that the process loads to the file that LOADED_MODULES names.
import { appendFileSync } from "node:fs";
import { registerHooks } from "node:module";

const file = process.env["LOADED_MODULES"];
if (file)
  registerHooks({
    load(url, context, next) {
      appendFileSync(file, `${url}\n`);
      return next(url, context);
    },
  });
