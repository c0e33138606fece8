import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import t from 'tap';
import ts from 'typescript';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
/** Trees whose folders have an order. Tests may import anything. */
const TREES = ['bindings', 'engine-as/assembly', 'host'];
/** Imports that are left out because the folders would form a circle: the state of a search refers to its query graph. */
const EXCEPTIONS = ['engine-as/assembly/plan/search.ts imports engine-as/assembly/graph/graph'];

type Imports = Map<string, Map<string, string>>;

function sourcesOf(tree: string): string[] {
  const files = fs.readdirSync(path.join(ROOT, tree), { recursive: true, encoding: 'utf8' });
  return files.map((file) => path.join(tree, file)).filter((file) => file.endsWith('.ts') && !file.startsWith(`${tree}/test/`));
}

/** The imports of a file that stay in the repository, as paths from its root. */
function importsOf(file: string): string[] {
  const { importedFiles } = ts.preProcessFile(fs.readFileSync(path.join(ROOT, file), 'utf8'));
  const local = importedFiles.map(({ fileName }) => fileName).filter((name) => name.startsWith('.'));
  return local.map((name) => path.join(path.dirname(file), name));
}

/** By parent folder: which of its folders import which others, each with an example. */
function importsBetweenSiblings(tree: string): Map<string, Imports> {
  const parents = new Map<string, Imports>();
  for (const file of sourcesOf(tree)) {
    for (const imported of importsOf(file)) {
      const [from, to] = [file.split('/'), imported.split('/')];
      const fork = from.findIndex((step, i) => step !== to[i]);
      // Both are in folders below the parent, not files directly in it.
      if (fork < 1 || fork >= from.length - 1 || fork >= to.length - 1) continue;
      const parent = from.slice(0, fork).join('/');
      const imports: Imports = parents.get(parent) ?? new Map();
      parents.set(parent, imports);
      const example = `${file} imports ${imported}`;
      if (EXCEPTIONS.includes(example)) continue;
      const targets = imports.get(from[fork]!) ?? new Map<string, string>();
      imports.set(from[fork]!, targets.set(to[fork]!, example));
    }
  }
  return parents;
}

/** The imports along a circle of folders; empty when there is none. */
function circleIn(imports: Imports): string[] {
  const done = new Set<string>();
  const follow = (folder: string, trail: string[]): string[] => {
    if (trail.includes(folder)) {
      const circle = [...trail.slice(trail.indexOf(folder)), folder];
      return circle.slice(1).map((to, i) => imports.get(circle[i]!)!.get(to)!);
    }
    if (done.has(folder)) return [];
    for (const to of imports.get(folder)?.keys() ?? []) {
      const circle = follow(to, [...trail, folder]);
      if (circle.length > 0) return circle;
    }
    done.add(folder);
    return [];
  };
  for (const folder of imports.keys()) {
    const circle = follow(folder, []);
    if (circle.length > 0) return circle;
  }
  return [];
}

/** By parent: its folders as ARCHITECTURE.md lists them, from the highest to the lowest. */
function listedFolders(): Map<string, string[]> {
  const [, section] = fs.readFileSync(path.join(ROOT, 'ARCHITECTURE.md'), 'utf8').split('\n## host\n');
  const listed = new Map<string, string[]>([['host', []]]);
  let parent = '';
  for (const [, indent, name] of section!.split('\n## ')[0]!.matchAll(/^( *)- `(\w+)`:/gm)) {
    if (indent === '') parent = `host/${name}`;
    const folder = indent === '' ? 'host' : parent;
    listed.set(folder, [...(listed.get(folder) ?? []), name!]);
  }
  return listed;
}

t.test('folders of the host import only from those that ARCHITECTURE.md lists below them', async (t) => {
  const parents = importsBetweenSiblings('host');
  for (const [parent, order] of listedFolders()) {
    const steps = sourcesOf(parent).map((file) => path.relative(parent, file).split('/'));
    const folders = new Set(steps.filter(({ length }) => length > 1).map(([folder]) => folder));
    t.same([...order].sort(), [...folders].sort(), `every folder of ${parent} is listed`);
    const upward = [...(parents.get(parent) ?? [])].flatMap(([from, targets]) =>
      [...targets].filter(([to]) => order.indexOf(to) < order.indexOf(from)).map(([, example]) => example),
    );
    t.same(upward, [], parent);
  }
});

t.test('folders side by side do not import each other in a circle', async (t) => {
  for (const tree of TREES) {
    const parents = importsBetweenSiblings(tree);
    t.ok(parents.get(tree)!.size > 2, `the imports between the folders of ${tree} are found`);
    for (const [parent, imports] of parents) t.same(circleIn(imports), [], parent);
  }
  for (const exception of EXCEPTIONS) {
    const [file, imported] = exception.split(' imports ') as [string, string];
    t.ok(importsOf(file).includes(imported), `it is still needed that ${exception}`);
  }
});
