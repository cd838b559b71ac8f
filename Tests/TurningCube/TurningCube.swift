import Foundation
import GLESv2
import Lamina

/// A cube with sides of six colours that turns once in four seconds.
open class TurningCube: CAGLESLayer {
  private var program: GLuint = 0
  private var vertices: GLuint = 0
  /// The number of pictures that were drawn.
  public private(set) var drawCount = 0

  open override func draw(in context: CAGLESContext, at time: CFTimeInterval) {
    drawCount += 1
    if program == 0 { prepare() }
    glViewport(0, 0, GLsizei(context.width), GLsizei(context.height))
    glEnable(GLenum(GL_DEPTH_TEST))
    glClearColor(0, 0, 0, 0)
    glClear(GLbitfield(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT))
    glUseProgram(program)
    glBindVertexArray(vertices)
    glUniform1f(glGetUniformLocation(program, "angle"), Float(time) * .pi / 2)
    glDrawArrays(GLenum(GL_TRIANGLES), 0, 36)
  }

  private func prepare() {
    program = glCreateProgram()
    for (kind, source) in [(GL_VERTEX_SHADER, Self.placing), (GL_FRAGMENT_SHADER, Self.colouring)] {
      let shader = glCreateShader(GLenum(kind))
      source.withCString { glShaderSource(shader, 1, [$0], nil) }
      glCompileShader(shader)
      glAttachShader(program, shader)
    }
    glLinkProgram(program)
    // The vertices are in the shader.
    glGenVertexArrays(1, &vertices)
  }

  private static let placing = """
    #version 300 es
    uniform float angle;
    flat out vec3 color;
    void main() {
      int side = gl_VertexID / 6;
      int corner = int[6](0, 1, 2, 2, 1, 3)[gl_VertexID % 6];
      vec2 place = vec2(corner & 1, corner >> 1) * 2.0 - 1.0;
      vec3 p = vec3(place, side % 2 == 0 ? 1.0 : -1.0);
      if (side / 2 == 1) p = p.zxy;
      if (side / 2 == 2) p = p.yzx;
      vec2 turned = vec2(cos(angle), sin(angle));
      p.xz = vec2(p.x * turned.x - p.z * turned.y, p.x * turned.y + p.z * turned.x);
      p.yz = vec2(p.y * 0.9 - p.z * 0.436, p.y * 0.436 + p.z * 0.9);
      float depth = 6.0 - p.z;
      gl_Position = vec4(p.xy * 3.6, (depth - 6.0) * 0.5, depth);
      color = vec3(side < 2 || side == 5, side % 3 == 1, side / 2 == 1) * 0.7 + 0.15;
    }
    """

  private static let colouring = """
    #version 300 es
    precision mediump float;
    flat in vec3 color;
    out vec4 pixel;
    void main() { pixel = vec4(color, 1); }
    """
}
