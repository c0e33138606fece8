import path from 'node:path';
import { fileURLToPath } from 'node:url';
import t from 'tap';
import ts from 'typescript';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const CONFIG = path.join(ROOT, 'tsconfig.json');
/** What answers requests; but for `own` itself, the names of the engine's exports, and those of what the log lines were written with. */
const SOURCES = /^(?:bindings|host)\/(?!test\/|own\.ts|engine\/instance\.ts|logging\/lines\.ts)/;

/**
 * A name that a user chose may be `constructor` or `__proto__`, which every plain object inherits. So no object is asked for a name that
 * is not known when the program is compiled: such names go to a Map, or through `own` (bindings/own.ts), and objects are made of
 * them by `Object.fromEntries`. This looks at the types: keys that are plain texts are found wherever they stand.
 */
function askedForAnyName(program: ts.Program, source: ts.SourceFile): string[] {
  const checker = program.getTypeChecker();
  const found: string[] = [];
  const isAnyText = (node: ts.Expression): boolean => {
    // a cast says nothing of what comes at run time
    if (ts.isAsExpression(node) || ts.isParenthesizedExpression(node) || ts.isNonNullExpression(node))
      return isAnyText(node.expression);
    const type = checker.getBaseConstraintOfType(checker.getTypeAtLocation(node)) ?? checker.getTypeAtLocation(node);
    const parts = type.isUnion() ? type.types : [type];
    return parts.some(({ flags }) => (flags & (ts.TypeFlags.String | ts.TypeFlags.TemplateLiteral | ts.TypeFlags.Any)) !== 0);
  };
  const report = (node: ts.Node) => {
    const { line } = source.getLineAndCharacterOfPosition(node.getStart());
    found.push(`${path.relative(ROOT, source.fileName)}:${line + 1}: ${node.getText().split('\n')[0]}`);
  };
  const visit = (node: ts.Node): void => {
    if (ts.isElementAccessExpression(node) && isAnyText(node.argumentExpression)) report(node);
    else if (ts.isBinaryExpression(node) && node.operatorToken.kind === ts.SyntaxKind.InKeyword && isAnyText(node.left))
      report(node);
    else if (ts.isBindingElement(node) && node.propertyName && ts.isComputedPropertyName(node.propertyName)) report(node);
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}

t.test('no object is indexed by a name that a user chose', async (t) => {
  const { config } = ts.readConfigFile(CONFIG, ts.sys.readFile);
  const { fileNames, options } = ts.parseJsonConfigFileContent(config, ts.sys, ROOT);
  const inScope = fileNames.filter((file) => SOURCES.test(path.relative(ROOT, file)));
  const program = ts.createProgram(inScope, options);
  const sources = inScope.map((file) => program.getSourceFile(file)!);
  t.ok(sources.length > 100, 'the sources are found');
  t.same(
    sources.flatMap((source) => askedForAnyName(program, source)),
    [],
  );
});
