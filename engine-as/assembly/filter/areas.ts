/** The areas of geo conditions, from their operands. */
import { Area, boxArea, circleArea, polygonArea, setPosition } from '../geo/area';
import { POSITION_BYTES } from '../geo/runs';
import { GeoArea, setBox, setCircle } from '../geo/select';
import { alloc } from '../runtime/arena';
import { numberOf } from './operands';
import { FILTER_RADIUS, FILTER_SHAPE_IN_BOX, FILTER_SHAPE_IN_POLYGON, FILTER_SHAPE_IN_RADIUS, FilterNode } from './plan';

/** The area of a condition on points. */
export function pointArea(node: FilterNode): GeoArea {
  const area = changetype<GeoArea>(alloc(offsetof<GeoArea>()));
  if (node.kind === FILTER_RADIUS) setCircle(area, numberOf(node, 0), numberOf(node, 1), numberOf(node, 2));
  else setBox(area, numberOf(node, 0), numberOf(node, 1), numberOf(node, 2), numberOf(node, 3));
  return area;
}

/** Whether a condition is on shapes. */
export function isOnShapes(node: FilterNode): bool {
  return node.kind >= FILTER_SHAPE_IN_RADIUS && node.kind <= FILTER_SHAPE_IN_POLYGON;
}

/** The area of a condition on shapes. */
export function shapeArea(node: FilterNode): Area {
  if (node.kind === FILTER_SHAPE_IN_RADIUS) {
    return circleArea(numberOf(node, 0), numberOf(node, 1), numberOf(node, 2), <u32>numberOf(node, 3));
  }
  if (node.kind === FILTER_SHAPE_IN_BOX) {
    return boxArea(numberOf(node, 0), numberOf(node, 1), numberOf(node, 2), numberOf(node, 3));
  }
  const corners = node.count >>> 1;
  const positions = alloc(<usize>corners * POSITION_BYTES);
  for (let i: u32 = 0; i < corners; i++) {
    setPosition(positions, i, numberOf(node, 2 * i + 1), numberOf(node, 2 * i));
  }
  return polygonArea(positions, corners);
}
