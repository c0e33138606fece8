/** The nodes of a query graph: for each term the term itself, then the joined words that end there. */
import { Node } from './node';
import { Query, termAt } from './query';

@unmanaged
export class Graph {
  query: Query;
  termCount: u32;
  /** Node[] */
  nodes: usize;
  nodeCount: u32;
}

export function nodeAt(graph: Graph, id: u32): Node {
  return changetype<Node>(graph.nodes + <usize>id * offsetof<Node>());
}

/** Whether a node directly follows the term before it. */
export function isContiguous(graph: Graph, node: Node): bool {
  return node.first > 0 && termAt(graph.query.terms, node.first - 1).end + 1 === node.start;
}

/** Whether nothing was typed between two nodes. */
export function follows(left: Node, right: Node): bool {
  return left.end + 1 === right.start;
}
