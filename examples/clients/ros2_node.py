#!/usr/bin/env python3
"""A ROS 2 node that has a service plan: scenes come in, paths with stamps go out.

    ros2_node.py --ros-args -p url:=http://127.0.0.1:8080

Publish the text of a scene file to /pcd/scene; every robot gets a nav_msgs/Path at
/ROBOT/plan, whose stamps begin when the plan is made. Frames are called map.
"""

import json
import urllib.error
import urllib.request

import rclpy
from geometry_msgs.msg import PoseStamped
from nav_msgs.msg import Path
from rclpy.duration import Duration
from rclpy.node import Node
from std_msgs.msg import String


class Planner(Node):
    def __init__(self):
        super().__init__("pcd_planner")
        self.url = self.declare_parameter("url", "http://127.0.0.1:8080").value
        self.token = self.declare_parameter("token", "").value
        self.outputs = {}
        self.create_subscription(String, "/pcd/scene", self.plan, 1)

    def plan(self, scene):
        headers = {"Content-Type": "application/json", "Authorization": f"Bearer {self.token}"}
        body = json.dumps({"yaml": scene.data, "brief": True}).encode()
        request = urllib.request.Request(self.url + "/pcd.v1.PlanService/Plan", body, headers)
        try:
            with urllib.request.urlopen(request, timeout=60) as answer:
                self.publish(json.load(answer)["plan"])
        except urllib.error.HTTPError as e:  # no certified plan, and why
            self.get_logger().error(json.load(e)["message"])
        except OSError as e:
            self.get_logger().error(str(e))

    def publish(self, plan):
        begin = self.get_clock().now()
        for robot in plan["robots"]:
            path = Path()
            path.header.frame_id, path.header.stamp = "map", begin.to_msg()
            for t, x, y in zip(plan["times"], robot["x"], robot["y"]):
                pose = PoseStamped()
                pose.header.frame_id, pose.header.stamp = "map", (begin + Duration(seconds=t)).to_msg()
                pose.pose.position.x, pose.pose.position.y, pose.pose.orientation.w = x, y, 1.0
                path.poses.append(pose)
            topic = f"/{robot['name'].replace(' ', '_')}/plan"
            if topic not in self.outputs:
                self.outputs[topic] = self.create_publisher(Path, topic, 1)
            self.outputs[topic].publish(path)


if __name__ == "__main__":
    rclpy.init()
    rclpy.spin(Planner())
