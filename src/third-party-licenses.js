// @ts-check
// Collects the terms of the packages whose code becomes a part of dist: most licenses ask that their text and the notices
// of all holders go wherever the code goes.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** A comment that begins a line; lines that begin with slashes are one comment together. */
const COMMENT = /^[ \t]*\/\*[\s\S]*?\*\/|^[ \t]*\/\/.*(?:\r?\n[ \t]*\/\/.*)*/gm;
const NOTICE = /copyright|@licen[cs]e|©|\(c\) ?\d{4}/i;

/**
 * The terms of the packages that the files belong to. Throws where a package has none.
 * @param {string} root the directory that the paths start from @param {string[]} files
 */
export function licensesOf(root, files) {
  /** @type {Map<string, string[]>} */
  const packages = new Map();
  for (const file of files) {
    const directory = /^(.*node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(file)?.[1];
    if (directory !== undefined) packages.set(directory, [...(packages.get(directory) ?? []), join(root, file)]);
  }
  const terms = [...packages.keys()].sort().map((path) => termsOf(join(root, path), packages.get(path) ?? []));
  const rule = `\n\n${'-'.repeat(80)}\n\n`;
  const all = new Set(['The files of this directory contain code of the packages below, under these terms.', ...terms]);
  return [...all].join(rule);
}

/** @param {string} directory of a package @param {string[]} files of it that are used */
function termsOf(directory, files) {
  const { name, version, license, author, repository } = JSON.parse(
    readFileSync(join(directory, 'package.json'), 'utf8'),
  );
  const named = [author?.name ?? author, repository?.url ?? repository].filter((text) => text !== undefined).join('\n');
  const texts = textsIn(directory, /^(licen[cs]e|notice|copying|copyright)/i);
  const terms = texts.length > 0 ? texts : [...quotedIn(directory), ...standardTexts(`${name} ${version}`, license)];
  const parts = [`${name} ${version}, ${license}`, named, ...terms];
  // Single files come from other holders, or under other terms.
  for (const notice of files.toSorted().flatMap(noticesIn)) {
    if (!words(parts.join('\n')).includes(words(notice))) parts.push(notice);
  }
  return parts.join('\n\n');
}

/** @param {string} directory @param {RegExp} names */
function textsIn(directory, names) {
  const files = readdirSync(directory).filter((file) => names.test(file));
  return files.map((file) => readFileSync(join(directory, file), 'utf8').trim());
}

/** Some packages name their holder at the end of the readme alone. @param {string} directory */
function quotedIn(directory) {
  return textsIn(directory, /^readme/i).flatMap((text) => text.split(/^(?=(?:#+ *)?licen[cs]e\s*$)/im).slice(1));
}

/** The texts of the licenses that a manifest names. @param {string} which @param {unknown} license an SPDX expression */
function standardTexts(which, license) {
  const ids = String(license ?? '')
    .replace(/[()]/g, ' ')
    .trim()
    .split(/\s+(?:AND|OR)\s+/);
  return ids.map((id) => {
    const file = fileURLToPath(import.meta.resolve(`spdx-license-list/licenses/${id}.json`));
    if (existsSync(file)) return String(JSON.parse(readFileSync(file, 'utf8')).licenseText).trim();
    throw new Error(
      `The package ${which} must not become a part of dist: it has no file of its terms, and "license" in its package.json (${license}) names none that SPDX lists.`,
    );
  });
}

/** The comments that name a holder or terms, without the marks of a comment. @param {string} file */
function noticesIn(file) {
  const comments = readFileSync(file, 'utf8').match(COMMENT) ?? [];
  return comments
    .filter((text) => NOTICE.test(text))
    .map((text) =>
      text
        .replace(/\*+\/$/, '')
        .replace(/^[ \t]*(?:\/\*+!?|\/\/+!?|\*+(?!\/)) ?/gm, '')
        .trim(),
    );
}

/** @param {string} text */
function words(text) {
  return text.replace(/\s+/g, ' ');
}
